#pragma once

#include <span>
#include <vector>

#include "bombard/storm.hpp"

namespace bombard {

/// The impacts of a storm, in file order, where they stand: the caller's memory, for the time of a
/// call.
struct StormView {
  std::span<const Impact> impacts;
};

inline std::vector<StormView> views_of(std::span<const Storm> storms) {
  std::vector<StormView> views;
  views.reserve(storms.size());
  for (const Storm& storm : storms) views.push_back({storm.impacts});
  return views;
}

/// A copy that is kept beyond the call.
inline Storm copy_of(const StormView& storm) {
  return {.name = {}, .impacts = {storm.impacts.begin(), storm.impacts.end()}};
}

}  // namespace bombard
