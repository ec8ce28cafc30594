#pragma once

#include "bombard/run.hpp"
#include "sim/layer_output.hpp"
#include "sim/ranks/communicator.hpp"
#include "sim/simulation.hpp"

/// run() for bombard-mpi. Not installed.
namespace bombard {

/// What a run in several ranks has besides its options.
struct Ranks {
  Communicator* communicator = &Communicator::alone();
  /// Files that ranks write instead of layer_pieces and last_layer_pieces of the observer.
  PlaceQuestion layers_place = {}, last_layer_place = {};
};

/// run(), by all ranks together: rank 0 has the observer and the result. And plan(), by rank 0.
SimulationResult run(const RunOptions& options, const SimulationObserver& observer,
                     const Ranks& ranks);
RunPlan plan(const RunOptions& options, const Ranks& ranks);

/// What a run asks of the driver. Throws as selection_for() does.
SimulationOptions simulation_options(const RunOptions& options, const Ranks& ranks);

}  // namespace bombard
