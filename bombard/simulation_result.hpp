#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bombard/layer.hpp"
#include "bombard/maximum.hpp"
#include "bombard/plan.hpp"

namespace bombard {

struct StormResult {
  std::string file;
  std::int64_t impacts;
  Maximum maximum = {};
  std::optional<Evidence> evidence = {};  ///< from a fast or a sparse engine
  std::vector<CellValue> cells = {};      ///< those of RunOptions::cells_at
  PeakList peaks = {};                    ///< RunOptions::peaks of them
  std::int64_t impacts_outside = 0;  ///< impacts outside the layer; they act on the cells inside
  double seconds = 0;                ///< of the engine, without what is read from the layer
};

/// The result of a run; of the storms so far, if the run was asked to stop. Times are in seconds:
/// `reading` is how long the run waited for its storms; `simulation` is the engine's time, without
/// its device's start-up.
struct SimulationResult {
  Plan plan;
  std::vector<StormResult> storms;
  std::int64_t storms_left;        ///< storms that were not computed
  std::vector<std::string> ranks;  ///< where each rank runs, for people; empty in one process
  double reading_seconds, start_seconds, simulation_seconds, total_seconds;
};

}  // namespace bombard
