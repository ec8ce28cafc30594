#pragma once

#include <cstdint>

#include "bombard/plan.hpp"
#include "bombard/simulation_observer.hpp"
#include "kernels/base/timer.hpp"

namespace bombard {

/// Counts what a run has done and reports it to the sink: at the beginning, after each batch, and
/// several times a second within a batch.
class ProgressMeter {
 public:
  /// An empty sink is never called.
  ProgressMeter(const Plan& plan, ProgressSink sink);
  /// `storms` storms with `impacts` impacts are done.
  void done(std::int64_t storms, std::int64_t impacts);
  /// `interactions` more interactions of the batch in progress are done.
  void within(double interactions);

 private:
  void tell();

  ProgressSink sink_;
  std::int64_t cells_;
  Progress progress_;
  double in_batch_ = 0;  ///< interactions done in the unfinished batch
  double told_ = 0;      ///< the time of the last report, in seconds
  WallTimer timer_;
};

}  // namespace bombard
