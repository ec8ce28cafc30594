#include "tools/cli/reports/aligned.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace bombard::tools {

std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t right) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      fmt::format_to(std::back_inserter(text), "{}{:>{}}", i > 0 ? "  " : "", row[i],
                     i < right ? widths[i] : 0);
    }
    text += '\n';
  }
  return text;
}

}  // namespace bombard::tools
