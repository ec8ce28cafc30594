#pragma once

#include "bombard/run.hpp"
#include "sim/simulation.hpp"

/// run() for bombard-mpi. Not installed.
namespace bombard {

/// run(), by all ranks together: rank 0 has the observer and the result. And plan(), by rank 0.
SimulationResult run(const RunOptions& options, const SimulationObserver& observer,
                     Communicator& ranks);
Plan plan(const RunOptions& options, Communicator& ranks);

}  // namespace bombard
