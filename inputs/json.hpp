#pragma once

#include <string>
#include <string_view>

namespace bombard {

/// A string of a JSON document (RFC 8259), in quotes. Bytes that are not UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

/// A number of a JSON document: the fewest digits that give it back exactly, as CSV has them; null
/// for an infinity and NaN.
std::string json_number(double value);

}  // namespace bombard
