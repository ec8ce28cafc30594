#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bombard/settings.hpp"
#include "bombard/simulation_observer.hpp"
#include "bombard/simulation_result.hpp"
#include "sim/ranks/engine_of_ranks.hpp"
#include "sim/storm_stream.hpp"

namespace bombard {

/// Adds to the result of each storm, in a run or in a validation, how the engine found it.
template <class StormResults>
void add_evidence(const EngineOfRanks& engine, StormResults& storms) {
  const std::vector<Evidence> evidence = engine.evidence();
  for (std::size_t i = 0; i < evidence.size(); ++i) storms[i].evidence = evidence[i];
}

/// The number of storms that make up the next batch of a plan's run, about half a second of work;
/// `left` has the impacts of each storm to come.
std::size_t storms_in_batch(const Plan& plan, int ranks, std::span<const std::int64_t> left,
                            std::int64_t most_impacts = StormStream::most_ahead_by_default);

/// run() of bombard/run.hpp by all ranks together: rank 0 has the observer and the result.
SimulationResult simulate(const RunOptions& options, const SimulationObserver& observer = {},
                          Communicator& ranks = Communicator::alone());

/// Its plan, made by rank 0, or the plan of validate(). Throws CannotRun if there is not enough
/// memory. `observer` only tells which layers are wanted: none of its functions is called.
Plan plan_of_run(const RunOptions& options, const SimulationObserver& observer = {},
                 const Communicator& ranks = Communicator::alone(), bool is_validation = false);

}  // namespace bombard
