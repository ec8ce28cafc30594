#include "tools/cli/suggestion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace bombard::tools {

namespace {

/// Letters that one of the words has and the other one lacks.
std::size_t difference(std::string_view a, std::string_view b) {
  std::string first(a), second(b), rest;
  std::ranges::sort(first);
  std::ranges::sort(second);
  std::ranges::set_symmetric_difference(first, second, std::back_inserter(rest));
  return rest.size();
}

}  // namespace

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
  std::size_t nearest = std::min<std::size_t>(2, (word.size() + 1) / 3) + 1;
  std::string_view meant;
  for (const std::string& candidate : known) {
    if (const std::size_t away = difference(word, candidate); away < nearest) {
      nearest = away;
      meant = candidate;
    }
  }
  return meant.empty() ? "" : fmt::format("; did you mean \"{}\"?", meant);
}

}  // namespace bombard::tools
