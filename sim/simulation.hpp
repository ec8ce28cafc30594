#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bombard/simulation_observer.hpp"
#include "bombard/simulation_result.hpp"
#include "sim/engines/engine.hpp"
#include "sim/layer_output.hpp"
#include "sim/ranks/communicator.hpp"
#include "sim/selection.hpp"

namespace bombard {

struct SimulationOptions {
  std::int64_t cells = 0;
  std::vector<std::string> storm_paths;  ///< "-" is standard input, once
  SimulationSettings settings;
  bool stored_layer = false;  ///< Workload's
  bool keep_layer = false;
  /// What is taken from the layer after each storm: the values of these cells, and so many of the
  /// highest peaks.
  std::vector<CellRange> cells_at = {};
  std::int64_t peaks = 0;
  std::optional<std::string> initial_path = {};  ///< of the layer that the first storm falls on
  Communicator* communicator = &Communicator::alone();  ///< of the ranks that all simulate()
  /// Files that ranks write instead of layer_pieces and last_layer_pieces of the observer.
  PlaceQuestion layers_place = {}, last_layer_place = {};
  bool whole_storms = false;  ///< this process needs all impacts in any case
};

/// Adds to the result of each storm, of a run or of a validation, how the engine came to it.
template <class StormResults>
void add_evidence(const Engine& engine, StormResults& storms) {
  const std::vector<Evidence> evidence = engine.evidence();
  for (std::size_t i = 0; i < evidence.size(); ++i) storms.at(i).evidence = evidence[i];
}

/// The number of storms that make the next batch, about half a second of work; `left` has the
/// impacts of each storm to come.
std::size_t storms_in_batch(const Selection& selection, std::int64_t cells,
                            std::span<const std::int64_t> left);

/// From storm files to maxima: chooses the engine, reads the storms and applies them. The next ones
/// are read meanwhile; memory does not grow with their number.
/// Throws InputError and CannotRun as its parts do; nothing is printed. All ranks call it together,
/// and rank 0 has the observer and the result.
SimulationResult simulate(const SimulationOptions& options,
                          const SimulationObserver& observer = {});

}  // namespace bombard
