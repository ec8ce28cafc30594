#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "bombard/simulation_result.hpp"
#include "inputs/layer_file.hpp"
#include "sim/ranks/engine_of_ranks.hpp"
#include "sim/simulation.hpp"
#include "sim/storm_stream.hpp"

namespace bombard {

/// Throws InputError for a layer without cells, CannotRun for one that no memory holds.
void check_cells(std::int64_t cells);

/// Throws InputError for an attenuation that the engine cannot compute: in single precision shares
/// are computed by binary32 operations that every device rounds alike.
void check_attenuation(const Attenuation& attenuation, const EngineEntry& engine);

/// What a simulation and a validation have before the first storm: the reading has begun, the
/// engine is chosen, and its device is started. Rank 0 reads and chooses; the others know the
/// engine and its options.
struct Preparation {
  std::unique_ptr<StormStream> storms;
  bool ranks_read = false;  ///< files, each a part: `storms` has what can be read only once
  Workload workload;
  SimulationSettings settings;  ///< with the threads that a rank has
  Selection selection;
  EngineOptions engine_options;
  Layer initial;  ///< in the engine's precision; empty: 0
  double start_seconds = 0;
};

/// The engine, in all ranks. Throws as its factory does.
EngineOfRanks make_engine(const SimulationOptions& options, const Preparation& prepared);

/// The most cells that a rank owns.
std::int64_t cells_of_a_rank(const SimulationOptions& options);

/// Threads that were asked for, or that this rank has of its machine; 0 for all cores.
int threads_of_a_rank(const SimulationOptions& options);

/// What a run of these options is going to be, once its engine is chosen.
RunPlan plan_of(const SimulationOptions& options, const Preparation& prepared);
/// The same without computing anything. Throws as prepare() does, but for what only an engine finds
/// out. Rank 0 needs nobody for it.
RunPlan plan_run(const SimulationOptions& options);

/// Called on rank 0 when the engine is chosen, before anything is started.
using ChoiceSink = std::function<void(const Preparation&)>;

/// Throws InputError (no cells, a storm that cannot be opened, standard input named twice, an
/// unknown engine) and CannotRun (no such device, a layer that no memory holds).
Preparation prepare(const SimulationOptions& options, const ChoiceSink& chosen);

}  // namespace bombard
