#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace bombard::tools {

/// Text for an HTML element, or for an attribute in quotes: nothing in it is markup.
std::string html_text(std::string_view text);

/// Bytes as text (RFC 4648, base64).
std::string base64(std::span<const std::byte> bytes);

}  // namespace bombard::tools
