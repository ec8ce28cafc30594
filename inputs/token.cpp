#include "inputs/token.hpp"

#include <fmt/format.h>

namespace bombard {

std::string printable(std::string_view text) {
  const std::string escaped = fmt::format("{:?}", text);  // in quotes
  std::string shown;
  for (std::size_t i = 1; i + 1 < escaped.size(); ++i) {
    const std::string_view two(&escaped[i], 2);
    if (two == "\\\"" || two == "\\\\") ++i;  // these two characters stay as they are
    shown += escaped[i];
  }
  return shown;
}

std::string in_quotes(std::string_view token) {
  constexpr std::size_t longest = 20;
  std::string shown = fmt::format("{:?}", token.substr(0, longest));
  if (token.size() > longest) shown.insert(shown.size() - 1, "...");
  return shown;
}

}  // namespace bombard
