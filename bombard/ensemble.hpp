#pragma once

#include <cstdint>
#include <vector>

#include "bombard/runs.hpp"
#include "bombard/simulation.hpp"

namespace bombard {

/// Computes many independent runs, each on a layer of its own of `cells` cells, 0 at first: for
/// Monte Carlo over random storms. Returns the maximum after each storm, in the order of
/// runs.storms(): those that a Simulation of each run gives, bit for bit.
///
/// On the processor each core takes one run at a time (`settings.threads` of them at once); on a
/// GPU all runs of small layers go in one launch. What `settings` expects does not matter here.
/// Errors are those of Simulation, and InputError for runs whose starts are not as Runs says.
[[gnu::visibility("default")]] std::vector<Maximum> ensemble(
    std::int64_t cells, const Runs& runs, const SimulationSettings& settings = {});

}  // namespace bombard
