#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bombard/simulation.hpp"

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

/// Computes many independent runs, each on its own layer of `cells` cells, 0 at first, for Monte
/// Carlo studies of random storms. Returns the maximum after each storm, in the order of
/// runs.storms(). They are the maxima of a Simulation of each run, bit for bit.
///
/// Each core of the CPU takes one run at a time (`settings.threads` of them at once). The expected
/// storms and impacts of `settings` do not matter here. Throws as Simulation does, and InputError
/// for a GPU and for runs whose starts are not as described in Runs.
[[gnu::visibility("default")]] std::vector<Maximum> ensemble(
    std::int64_t cells, const Runs& runs, const SimulationSettings& settings = {});

}  // namespace bombard
