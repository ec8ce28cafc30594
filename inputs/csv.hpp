#pragma once

#include <string>
#include <string_view>

namespace bombard {

/// A field of a CSV file (RFC 4180): in quotes if it holds a comma, a quote or the end of a line.
std::string csv_field(std::string_view text);

}  // namespace bombard
