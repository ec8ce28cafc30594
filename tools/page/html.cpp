#include "tools/page/html.hpp"

namespace bombard::tools {

std::string html_text(std::string_view text) {
  constexpr std::string_view marks = "&<>\"'";
  constexpr std::string_view names[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
  std::string html;
  for (const char c : text) {
    const std::size_t mark = marks.find(c);
    html += mark == std::string_view::npos ? std::string_view(&c, 1) : names[mark];
  }
  return html;
}

}  // namespace bombard::tools
