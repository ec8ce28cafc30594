#pragma once

#include <cstdint>
#include <span>

#include "bombard/storm.hpp"

namespace bombard {

/// The storms of many independent runs, one after another: run r has the storms run_starts[r] to
/// run_starts[r + 1] - 1, and storm s the impacts storm_starts[s] to storm_starts[s + 1] - 1. Both
/// lists begin with 0, never fall, and end with the number of storms, or of impacts.
struct Runs {
  std::span<const Impact> impacts;
  std::span<const std::int64_t> storm_starts;  ///< one more element than there are storms
  std::span<const std::int64_t> run_starts;    ///< one more element than there are runs

  std::int64_t runs() const { return static_cast<std::int64_t>(run_starts.size()) - 1; }
  std::int64_t storms() const { return static_cast<std::int64_t>(storm_starts.size()) - 1; }
};

}  // namespace bombard
