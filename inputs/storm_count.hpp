#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace bombard {

/// How many impacts a storm file says it holds, text or NumPy array, from its beginning alone. 0
/// for a file whose beginning is none of a storm: reading it will say why. Nothing for what could
/// not be read again (a pipe, standard input): it is left alone. Throws InputError for a file that
/// is missing or cannot be opened.
std::optional<std::int64_t> announced_impacts(const std::string& path);

}  // namespace bombard
