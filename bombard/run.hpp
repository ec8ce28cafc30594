#pragma once

#include "bombard/errors.hpp"
#include "bombard/settings.hpp"
#include "bombard/simulation_observer.hpp"
#include "bombard/simulation_result.hpp"

namespace bombard {

class Communicator;  // the ranks of bombard-mpi

/// Applies storms from files to a layer: chooses the engine, reads the storms and computes. It
/// reads the next storms while it computes, and its memory does not grow with their number. It
/// prints nothing.
///
/// The maxima are those of a Simulation with the same storms, bit for bit. Throws as Simulation
/// does. A mistake in a file is an InputError with file and line.
[[gnu::visibility("default")]] SimulationResult run(const RunOptions& options,
                                                    const SimulationObserver& observer = {});
/// The same by several ranks, of which this process is the first.
SimulationResult run(const RunOptions& options, const SimulationObserver& observer,
                     Communicator& ranks);

/// The plan that run() would follow; computes nothing. Throws as run() does, except for errors that
/// only a working engine finds.
[[gnu::visibility("default")]] Plan plan(const RunOptions& options);
Plan plan(const RunOptions& options, const Communicator& ranks);

}  // namespace bombard
