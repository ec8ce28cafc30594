#pragma once

#include <string>
#include <string_view>

namespace bombard::tools {

/// Text for an HTML element, or for an attribute in quotes: nothing in it is markup.
std::string html_text(std::string_view text);

}  // namespace bombard::tools
