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

/// Called at the beginning, between storms, and several times a second within a long storm.
using ProgressSink = std::function<void(const Progress&)>;

/// Called once, when the engine is chosen and before it starts.
using PlanSink = std::function<void(const Plan&)>;

/// Called with the result of each storm, in order, as soon as its batch is done.
using StormSink = std::function<void(const StormResult&)>;

/// Called after each storm with its result and the layer as the storm left it.
using LayerSink = std::function<void(const StormResult&, const LayerView&)>;

/// Called with the next cells of the layer, piece by piece.
using LayerPieceSink = std::function<void(const LayerView& cells)>;

/// Asked between batches of storms, and on the CPU within them: whether to stop after the storms so
/// far. A storm in progress is then lost, but not if the last layer is wanted and a copy of the
/// layer before the storm would take more than a quarter of the free memory.
using StopQuestion = std::function<bool()>;

/// The events of a run: `begin`, `storm` for each storm, and its end, when the call returns with
/// the times; and functions that observe and steer the run. They are called in the caller's thread;
/// an empty one is never called. An exception from one of them ends the run.
struct SimulationObserver {
  ProgressSink progress = {};
  PlanSink begin = {};
  /// Also called for the storms before a file that cannot be read; without this function such a
  /// file ends the run at once.
  StormSink storm = {};
  /// Turns batching off, because an engine has only the layer of the last storm.
  LayerSink after_storm = {};
  /// The same, without the result. In a run of several ranks (bombard-mpi) no process needs to hold
  /// the whole layer for it.
  LayerPieceSink layer_pieces = {};
  /// The same for the layer as the last storm left it.
  LayerPieceSink last_layer_pieces = {};
  StopQuestion stop = {};
};

}  // namespace bombard
