#pragma once

#include <cstdint>
#include <functional>

#include "bombard/layer.hpp"
#include "bombard/simulation_result.hpp"

namespace bombard {

/// How far a run is: storms and interactions (cells times impacts) done, out of all.
struct Progress {
  std::int64_t storms_done = 0, storms = 0;
  double interactions_done = 0, interactions = 0;
  double seconds = 0;       ///< since the run began
  double seconds_left = 0;  ///< by the pace so far; before anything is done, by the typical one
};

/// Called at the beginning, between storms, and within a long one several times a second.
using ProgressSink = std::function<void(const Progress&)>;

/// Called once, when the engine is chosen and before it starts.
using PlanSink = std::function<void(const Plan&)>;

/// Called after each storm with its result and the layer as the storm left it.
using LayerSink = std::function<void(const StormResult&, const LayerView&)>;

/// Called with some cells of the layer, those that follow the ones before.
using LayerPieceSink = std::function<void(const LayerView& cells)>;

/// Asked between storms that an engine takes together: whether to leave it at those so far.
using StopQuestion = std::function<bool()>;

/// Who watches a run, in the thread that called; an empty function is never called. An exception of
/// one of these ends the run.
struct SimulationObserver {
  ProgressSink progress = {};
  PlanSink selected = {};
  /// Has storms computed one by one, because an engine has the layer of the last one only.
  LayerSink after_storm = {};
  /// The same, without the result. Of a run in several ranks (bombard-mpi) no process holds the
  /// whole layer for it.
  LayerPieceSink layer_pieces = {};
  /// The layer as the last storm left it, likewise.
  LayerPieceSink last_layer_pieces = {};
  StopQuestion stop = {};
};

}  // namespace bombard
