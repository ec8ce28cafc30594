#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bombard::tools {

/// A table's rows as lines: columns apart by two blanks, `right` of them right-aligned.
std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t right);

}  // namespace bombard::tools
