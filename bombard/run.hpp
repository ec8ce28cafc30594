#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bombard/simulation.hpp"
#include "bombard/simulation_observer.hpp"
#include "bombard/simulation_result.hpp"

namespace bombard {

/// What `bombard run` is given.
struct RunOptions {
  std::int64_t cells = 0;                ///< 1 or more
  std::vector<std::string> storm_paths;  ///< files; "-" is standard input, once
  /// What these expect does not matter: the files tell. `interrupt` is called with the progress.
  SimulationSettings settings = {};
  bool keep_layer = false;  ///< the result has the final layer
  /// Cells whose values the result has after each storm, and how many of the highest peaks. In
  /// single precision they are the rule's, bit for bit.
  std::vector<std::int64_t> cells_at = {};
  std::int64_t peaks = 0;
  /// A file with the layer that the first storm falls on, instead of 0 (docs/formats.md).
  std::optional<std::string> initial_path = {};
};

/// Applies storms from files to a layer: chooses the engine, reads the storms and computes. The
/// next ones are read meanwhile; memory does not grow with their number. Nothing is printed.
///
/// The maxima are those of a Simulation that is given the same storms, bit for bit, and errors are
/// Simulation's; what is wrong with a file is an InputError with file and line.
[[gnu::visibility("default")]] SimulationResult run(const RunOptions& options,
                                                    const SimulationObserver& observer = {});

/// What run() would do, without computing anything. Throws as run() does, but for what only an
/// engine at work finds out.
[[gnu::visibility("default")]] RunPlan plan(const RunOptions& options);

}  // namespace bombard
