#include "bombard/run.hpp"

#include "bombard/run_in_ranks.hpp"
#include "kernels/device/device.hpp"
#include "sim/preparation.hpp"

namespace bombard {

SimulationResult run(const RunOptions& options, const SimulationObserver& observer,
                     const Ranks& ranks) {
  SimulationOptions asked = simulation_options(options, ranks);
  asked.stored_layer |= observer.after_storm || observer.layer_pieces || observer.last_layer_pieces;
  SimulationObserver watching = observer;
  if (options.settings.interrupt) {
    watching.progress = [&](const Progress& progress) {
      options.settings.interrupt();
      if (observer.progress) observer.progress(progress);
    };
  }
  const cuda::CallersDevice callers;
  return simulate(asked, watching);
}

RunPlan plan(const RunOptions& options, const Ranks& ranks) {
  const SimulationOptions asked = simulation_options(options, ranks);
  const cuda::CallersDevice callers;
  return plan_run(asked);
}

SimulationResult run(const RunOptions& options, const SimulationObserver& observer) {
  return run(options, observer, Ranks{});
}

RunPlan plan(const RunOptions& options) {
  return plan(options, Ranks{});
}

}  // namespace bombard
