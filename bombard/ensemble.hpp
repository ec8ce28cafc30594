#pragma once

#include <cstdint>
#include <vector>

#include "bombard/runs.hpp"
#include "bombard/simulation.hpp"

namespace bombard {

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
