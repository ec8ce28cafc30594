#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bombard/storm.hpp"
#include "kernels/base/timer.hpp"
#include "sim/workload.hpp"

namespace bombard {

/// How far a run is: storms and interactions (cells times impacts) done, out of all.
struct Progress {
  std::int64_t storms_done = 0, storms = 0;
  double interactions_done = 0, interactions = 0;
  double seconds = 0;       ///< since the run began
  double seconds_left = 0;  ///< by the pace so far; before anything is done, by the typical one
};

/// "less than 1 s", "12 s", "34 min", "5.6 h".
std::string duration_text(double seconds);

/// "storm 3 of 40, 2.1e+10 interactions/s, 12 s left"; without the pace before anything is done.
std::string progress_text(const Progress& progress);

using ProgressSink = std::function<void(const Progress&)>;

/// Counts what a run has done and tells the sink: at the beginning, after each batch, and within
/// one several times a second.
class ProgressMeter {
 public:
  /// An empty sink is never called. `typical_seconds` is an estimate for all storms.
  ProgressMeter(const Workload& workload, double typical_seconds, ProgressSink sink);
  void done(std::span<const Storm> batch);
  /// So many interactions more of the batch that is not done yet.
  void within(double interactions);

 private:
  void tell();

  ProgressSink sink_;
  std::int64_t cells_;
  Progress progress_;
  double in_batch_ = 0;  ///< interactions of the batch that is not done
  double told_ = 0;      ///< seconds, when the sink was told last
  WallTimer timer_;
};

}  // namespace bombard
