#include "bombard/run.hpp"

#include "sim/simulation.hpp"

namespace bombard {

SimulationResult run(const RunOptions& options, const SimulationObserver& observer) {
  return simulate(options, observer);
}

Plan plan(const RunOptions& options) {
  return plan_of_run(options);
}

}  // namespace bombard
