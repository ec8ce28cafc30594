#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bombard/simulation_observer.hpp"
#include "inputs/array_file.hpp"
#include "sim/plan.hpp"
#include "sim/ranks/engine_of_ranks.hpp"
#include "sim/simulation.hpp"
#include "sim/storm_stream.hpp"

namespace bombard {

/// What rank 0, whose caller watches the run, asks of all ranks: the layers, and when to report how
/// an engine found its maxima.
struct AskedOfRanks {
  bool kept = false;           ///< RunOptions::keep_layer
  bool cells_of_each = false;  ///< RunOptions::cells_at or peaks
  bool whole_of_each = false, pieces_of_each = false, pieces_of_last = false;  ///< observer's
  bool compared = false;  ///< storm by storm with a reference
  bool told = false;      ///< the result of each storm, when its batch is done

  bool of_each() const { return cells_of_each || whole_of_each || pieces_of_each; }
  /// Whether the layer after the last storm is wanted.
  bool of_last() const { return kept || pieces_of_last; }
  bool needs_layer() const { return of_last() || whole_of_each || pieces_of_each || compared; }
};
AskedOfRanks asked_of(const RunOptions& options, const SimulationObserver& observer);

/// The state of a simulation or a validation before the first storm: the reading has begun, the
/// engine is chosen, and its device is started. Rank 0 reads and plans; the others know only the
/// part of the plan from which their engines are made.
struct Preparation {
  std::unique_ptr<StormStream> storms;
  std::vector<CellRange> cells;  ///< whose values are shown after each storm; on rank 0
  std::int64_t peaks = 0;        ///< likewise
  Plan plan;
  EngineOptions engine_options;
  Layer initial;  ///< in the engine's precision; empty: 0
  double start_seconds = 0;
};

/// The plan of a run, which rank 0 makes alone; for a validation it includes the time and the
/// memory of the reference. Throws InputError (no cells, a storm that cannot be opened, standard
/// input named twice, an unknown engine) and CannotRun (no such device, a layer that no memory
/// holds).
Preparation planned(const RunOptions& options, const Communicator& ranks,
                    const AskedOfRanks& asked);

/// The same in all ranks; the reading begins, and the device is started. `selected` is called on
/// rank 0 before that.
Preparation prepare(const RunOptions& options, Communicator& ranks, const AskedOfRanks& asked,
                    const PlanSink& selected);

}  // namespace bombard
