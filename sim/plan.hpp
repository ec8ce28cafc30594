#pragma once

#include "bombard/plan.hpp"
#include "sim/engines/engines.hpp"

namespace bombard {

/// The bytes of one cell of a layer, in memory and in a file.
constexpr std::int64_t bytes_of_cell(Precision precision) {
  return precision == Precision::binary64 ? sizeof(double) : sizeof(float);
}

/// Makes the plan of a run. Its engine is the requested one, or the one whose start-up and work
/// finish first (costs.hpp) among those that the settings allow and that fit into the host's
/// memory. Each of several ranks computes its part of the layer, which has the size of rank 0's.
/// Throws as check() does (checks.hpp); InputError for an unknown engine, an attenuation that it
/// cannot compute, or settings that no engine meets; CannotRun when the device is not available. A
/// GPU is looked for only if it was asked for or could be faster: a small run never waits for a
/// driver.
Plan make_plan(const SimulationSettings& settings, const Workload& workload, int ranks = 1);

/// The plan's engine, and the options that it is made from, for the whole layer.
const EngineEntry& engine_of(const Plan& plan);
EngineOptions engine_options(const Plan& plan, const SimulationSettings& settings);

}  // namespace bombard
