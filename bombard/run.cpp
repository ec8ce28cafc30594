#include "bombard/run.hpp"

#include <utility>

#include "bombard/run_in_ranks.hpp"
#include "kernels/device/device.hpp"
#include "sim/preparation.hpp"

namespace bombard {

SimulationResult run(const RunOptions& options, const SimulationObserver& observer,
                     Communicator& ranks) {
  SimulationObserver watching = observer;
  if (options.settings.interrupt) {
    watching.progress = [&](const Progress& progress) {
      options.settings.interrupt();
      if (observer.progress) observer.progress(progress);
    };
  }
  const cuda::CallersDevice callers;
  return simulate(options, watching, ranks);
}

Plan plan(const RunOptions& options, Communicator& ranks) {
  const cuda::CallersDevice callers;
  Preparation prepared = planned(options, ranks, use_of_layer(options, {}));
  engine_of(prepared.plan).require_memory(prepared.engine_options);
  return std::move(prepared.plan);
}

SimulationResult run(const RunOptions& options, const SimulationObserver& observer) {
  return run(options, observer, Communicator::alone());
}

Plan plan(const RunOptions& options) {
  return plan(options, Communicator::alone());
}

}  // namespace bombard
