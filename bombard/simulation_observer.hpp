#pragma once

#include <cstdint>
#include <functional>

#include "bombard/layer.hpp"
#include "bombard/simulation_result.hpp"

namespace bombard {

/// The progress of a run: storms and interactions (cells times impacts) that are done, and all of
/// them.
struct Progress {
  std::int64_t storms_done = 0, storms = 0;
  double interactions_done = 0, interactions = 0;
  double seconds = 0;       ///< since the run began
  double seconds_left = 0;  ///< from the pace so far; at the beginning, from the plan
};

/// Takes the next cells of a layer, piece by piece: in one process all of them at once. In a run of
/// several ranks (bombard-mpi) no process needs to hold the whole layer for it.
using LayerSink = std::function<void(Layer cells)>;

/// The events of a run, and functions that observe and steer it. They are called in the caller's
/// thread; an empty one is never called. An exception from one of them ends the run.
struct SimulationObserver {
  /// At the beginning, between storms, and several times a second within a long storm.
  std::function<void(const Progress&)> progress = {};
  /// Once, when the engine is chosen and before it starts.
  std::function<void(const Plan&)> begin = {};
  /// With the result of each storm, in order, as soon as it is done.
  std::function<void(const StormResult&)> storm = {};
  /// Behind `storm`, after the storms that RunOptions::layers says.
  LayerSink layer = {};
  /// Asked before each storm, on the CPU within it, and while a file is waited for: whether to stop
  /// after the storms so far. A storm in progress is then lost.
  std::function<bool()> stop = {};
};

}  // namespace bombard
