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
  Maximum maximum;
  std::optional<Evidence> evidence = {};  ///< from a fast or a sparse engine
  std::vector<CellValue> cells = {};      ///< those of RunOptions::cells_at
  std::vector<CellValue> peaks = {};      ///< RunOptions::peaks of them, the highest first
  std::int64_t impacts_outside = 0;  ///< impacts outside the layer; they act on the cells inside
};

/// Storms that an engine took together, and the seconds for all of them: fused storms have no times
/// of their own.
struct Batch {
  std::int64_t storms;
  double seconds;
};

/// The result of a run; of the storms so far, if the run was asked to stop. Times are in seconds:
/// `reading` is how long the run waited for its storms; `simulation` contains neither this wait,
/// nor the device's start-up, nor the reading of the layer after a storm, nor the counting of
/// impacts outside.
struct SimulationResult {
  Plan plan;
  std::vector<StormResult> storms;
  std::int64_t storms_left;             ///< storms that were not computed
  std::vector<std::string> ranks;       ///< where each rank runs, for people; empty in one process
  std::int64_t bytes_moved = 0;         ///< bytes that went between ranks, for all storms
  std::vector<Batch> batches;           ///< in order; their seconds are part of `simulation`
  std::vector<float> layer;             ///< in single precision; empty unless kept
  std::vector<double> layer_in_double;  ///< in double precision; empty unless kept
  double reading_seconds, start_seconds, simulation_seconds, total_seconds;
};

}  // namespace bombard
