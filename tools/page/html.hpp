#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace bombard::tools {

/// Text as an element of HTML, or an attribute in quotes, has it: nothing in it is markup.
std::string html_text(std::string_view text);

/// A page with each {{name}} replaced by the text of that name. The inserted texts are not searched
/// again. Throws std::out_of_range for a name without a text.
std::string filled(std::string_view page, const std::map<std::string, std::string>& texts);

/// Bytes as text (RFC 4648, base64).
std::string base64(std::span<const std::byte> bytes);

}  // namespace bombard::tools
