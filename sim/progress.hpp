#pragma once

#include <cstdint>

#include "bombard/plan.hpp"
#include "bombard/simulation_observer.hpp"
#include "kernels/base/timer.hpp"

namespace bombard {

/// Counts what a run has done and reports it to the sink: at the beginning, after each storm, and
/// several times a second within a storm.
class ProgressMeter {
 public:
  /// An empty sink is never called.
  ProgressMeter(const Plan& plan, std::function<void(const Progress&)> sink);
  /// A storm with `impacts` impacts is done.
  void done(std::int64_t impacts);
  /// `interactions` more interactions of the storm in progress are done.
  void within(double interactions);

 private:
  void tell();

  std::function<void(const Progress&)> sink_;
  std::int64_t cells_;
  Progress progress_;
  double in_storm_ = 0;  ///< interactions done in the unfinished storm
  double told_ = 0;      ///< the time of the last report, in seconds
  WallTimer timer_;
};

}  // namespace bombard
