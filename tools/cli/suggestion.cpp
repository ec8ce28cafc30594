#include "tools/cli/suggestion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace bombard::tools {

namespace {

/// Letters to insert, to leave out, to change, or neighbours to swap, to make one word of another
/// (the optimal string alignment distance).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> to(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        to[i][j] = i + j;
        continue;
      }
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      to[i][j] = std::min({to[i - 1][j] + 1, to[i][j - 1] + 1, to[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        to[i][j] = std::min(to[i][j], to[i - 2][j - 2] + 1);
      }
    }
  }
  return to[a.size()][b.size()];
}

}  // namespace

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
  constexpr std::size_t longest = 40;  // a longer word is no mistyped command
  if (word.size() > longest) return {};
  std::size_t nearest = std::min<std::size_t>(2, (word.size() + 1) / 3) + 1;
  std::string_view meant;
  for (const std::string& candidate : known) {
    if (const std::size_t away = distance(word, candidate); away < nearest) {
      nearest = away;
      meant = candidate;
    }
  }
  return meant.empty() ? "" : fmt::format("; did you mean \"{}\"?", meant);
}

}  // namespace bombard::tools
