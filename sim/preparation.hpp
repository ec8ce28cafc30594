#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "inputs/storm.hpp"
#include "sim/simulation.hpp"

namespace bombard {

/// What happens before the first storm, for a simulation and for a validation alike: the storms
/// read, the engine chosen, its device started.
struct Preparation {
  std::vector<Storm> storms;
  Selection selection;
  EngineOptions engine_options;
  double reading_seconds = 0;
  double start_seconds = 0;
};

/// Throws InputError (no cells, a bad storm, standard input named twice, an unknown engine) and
/// CannotRun (no such device, a layer that no memory holds).
Preparation prepare(const SimulationOptions& options, const SelectionSink& selected);

/// Impacts of all storms.
std::int64_t total_impacts(const std::vector<Storm>& storms);

}  // namespace bombard
