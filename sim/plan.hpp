#pragma once

#include "bombard/plan.hpp"
#include "sim/engines/engines.hpp"
#include "sim/ranks/communicator.hpp"

namespace bombard {

/// The bytes of one cell of a layer, in memory and in a file.
constexpr std::int64_t bytes_of_cell(Precision precision) {
  return precision == Precision::binary64 ? sizeof(double) : sizeof(float);
}

/// Makes the plan of the expected storms. Its engine is the requested one, or the one that should
/// finish first (costs.hpp) among those that the settings allow, that have what is wanted, and that
/// fit into the host's memory. Each of several ranks computes its part of the layer, which has the
/// size of rank 0's. Throws as check() does (checks.hpp); InputError for an unknown engine, an
/// attenuation that it cannot compute, or settings that no engine meets; CannotRun when the device
/// is not available. A GPU is looked for only if it was asked for or could be faster: a small run
/// never waits for a driver.
Plan make_plan(std::int64_t cells, const SimulationSettings& settings,
               const Communicator& ranks = Communicator());

/// Throws CannotRun if the host has less memory than the plan needs: asked once, before anything is
/// computed. Engines on a GPU ask for the device's memory themselves.
void require_memory(const Plan& plan);

/// Refuses a layer to begin with where the engine has none.
void require_begins_with_a_layer(const Plan& plan);

/// The plan's engine, and the options that it is made from, for the whole layer.
const EngineEntry& engine_of(const Plan& plan);
EngineOptions engine_options(const Plan& plan);

}  // namespace bombard
