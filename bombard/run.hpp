#pragma once

#include "bombard/errors.hpp"
#include "bombard/settings.hpp"
#include "bombard/simulation_observer.hpp"
#include "bombard/simulation_result.hpp"

namespace bombard {

/// Applies storms from files to a layer: chooses the engine, reads the storms and computes. The
/// next ones are read meanwhile; memory does not grow with their number. Nothing is printed.
///
/// The maxima are those of a Simulation that is given the same storms, bit for bit, and errors are
/// Simulation's. A mistake in a file is an InputError with file and line.
[[gnu::visibility("default")]] SimulationResult run(const RunOptions& options,
                                                    const SimulationObserver& observer = {});

/// What run() would do, without computing anything. Throws as run() does, but for what only an
/// engine at work finds out.
[[gnu::visibility("default")]] Plan plan(const RunOptions& options);

}  // namespace bombard
