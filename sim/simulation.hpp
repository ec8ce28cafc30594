#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/engine.hpp"
#include "sim/progress.hpp"
#include "sim/selection.hpp"

namespace bombard {

struct SimulationOptions {
  std::int64_t cells = 0;
  std::vector<std::string> storm_paths;  ///< "-" is standard input, once
  EngineRequest request;
  int threads = 0;  ///< 0: all cores
  Reduction reduction = Reduction::cub;
  float threshold = 0.001F;
  bool keep_layer = false;
};

struct StormResult {
  std::string file;
  std::int64_t impacts;
  Maximum maximum;
};

/// What a run gives. Times in seconds; `simulation` leaves out reading and the device's start-up.
struct SimulationResult {
  std::string engine;
  std::string device;  ///< the name of the GPU or of the processor
  std::int64_t cells;
  std::vector<StormResult> storms;
  std::vector<float> layer;  ///< empty unless kept
  double reading_seconds, start_seconds, simulation_seconds, total_seconds;
};

/// Called once, when the engine is chosen and before it starts.
using SelectionSink = std::function<void(const Selection&)>;

/// From storm files to maxima: reads the storms, chooses the engine, applies them.
/// `progress` is called before the first batch of storms and after each. Throws InputError and
/// CannotRun as its parts do; nothing is printed.
SimulationResult simulate(const SimulationOptions& options, const ProgressSink& progress = {},
                          const SelectionSink& selected = {});

}  // namespace bombard
