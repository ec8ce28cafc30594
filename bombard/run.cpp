#include "bombard/run.hpp"

#include "bombard/engine_settings.hpp"
#include "kernels/device/device.hpp"
#include "sim/preparation.hpp"

namespace bombard {

SimulationResult run(const RunOptions& options, const SimulationObserver& observer) {
  SimulationOptions asked = simulation_options(options);
  asked.request.stored_layer |=
      observer.after_storm || observer.layer_pieces || observer.last_layer_pieces;
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

RunPlan plan(const RunOptions& options) {
  const SimulationOptions asked = simulation_options(options);
  const cuda::CallersDevice callers;
  return plan_run(asked);
}

}  // namespace bombard
