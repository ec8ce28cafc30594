#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "sim/engines/engine.hpp"
#include "sim/progress.hpp"
#include "sim/ranks/communicator.hpp"
#include "sim/selection.hpp"

namespace bombard {

struct SimulationOptions {
  std::int64_t cells = 0;
  std::vector<std::string> storm_paths;  ///< "-" is standard input, once
  EngineRequest request;
  int threads = 0;  ///< 0: all cores
  Reduction reduction = Reduction::cub;
  Rule rule = {};
  bool keep_layer = false;
  std::int64_t bytes_beside = 0;  ///< of memory that the caller will take beside the layer
  std::optional<std::string> initial_path = {};  ///< of the layer that the first storm falls on
  Communicator* communicator = nullptr;  ///< rank 0's, where other ranks serve(); null: one process
};

/// A cell after a storm; a binary32 value is held exactly.
struct CellValue {
  std::int64_t position;
  double value;
};

struct StormResult {
  std::string file;
  std::int64_t impacts;
  Maximum maximum;
  std::optional<Evidence> evidence = {};  ///< from a fast engine in single precision
  std::vector<CellValue> cells = {};      ///< that a LayerSink was asked to keep
  std::vector<CellValue> peaks = {};      ///< likewise, the highest first
  std::int64_t impacts_outside = 0;       ///< of the layer; they act on the cells inside
};

/// Storms that an engine took together, and how long it took for all of them: where they are fused,
/// no storm has a time of its own.
struct Batch {
  std::int64_t storms;
  double seconds;
};

/// Adds to the result of each storm, of a run or of a validation, how the engine came to it.
template <class StormResults>
void add_evidence(const Engine& engine, StormResults& storms) {
  const std::vector<Evidence> evidence = engine.evidence();
  for (std::size_t i = 0; i < evidence.size(); ++i) storms.at(i).evidence = evidence[i];
}

/// What a run gives; of the storms so far, if it was asked to stop. Times are in seconds: `reading`
/// is how long the run waited for its storms; `simulation` contains neither that, nor the device's
/// start-up, nor what a LayerSink took, nor the count of impacts outside.
struct SimulationResult {
  std::string engine;
  Method method;
  Precision precision;
  std::string device;  ///< the name of the GPU or of the processor
  int threads;         ///< that the engine, or its part on the processor, may use
  std::int64_t cells;
  Rule rule;
  std::vector<StormResult> storms;
  std::int64_t storms_left;             ///< that were not computed
  std::vector<std::string> ranks;       ///< where each runs, for people; none in one process
  std::int64_t bytes_moved = 0;         ///< between ranks, for all storms
  std::vector<Batch> batches;           ///< in order; their seconds are part of `simulation`
  std::vector<float> layer;             ///< in single precision; empty unless kept
  std::vector<double> layer_in_double;  ///< in double precision; empty unless kept
  double reading_seconds, start_seconds, simulation_seconds, total_seconds;
};

/// The number of storms that make the next batch, about half a second of work; `left` has the
/// impacts of each storm to come.
std::size_t storms_in_batch(const Selection& selection, std::int64_t cells,
                            std::span<const std::int64_t> left);

/// Called once, when the engine is chosen and before it starts.
using SelectionSink = std::function<void(const Selection&, const Workload&)>;

/// The layer in the precision that the engine computes in.
using LayerView = std::variant<std::span<const float>, std::span<const double>>;

/// Called after each storm with its result, to which it may add, and with the layer as the storm
/// left it.
using LayerSink = std::function<void(StormResult&, const LayerView&)>;

/// Asked before each batch but the first: whether to leave it at the storms so far.
using StopQuestion = std::function<bool()>;

/// Who watches a simulation; an empty one is never called.
struct SimulationObserver {
  ProgressSink progress = {};
  SelectionSink selected = {};
  /// Makes each batch one storm, because an engine has the layer of the last one only.
  LayerSink after_storm = {};
  StopQuestion stop = {};
};

/// From storm files to maxima: chooses the engine, reads the storms and applies them. The next ones
/// are read meanwhile; memory does not grow with their number.
/// Throws InputError and CannotRun as its parts do; nothing is printed.
SimulationResult simulate(const SimulationOptions& options,
                          const SimulationObserver& observer = {});

}  // namespace bombard
