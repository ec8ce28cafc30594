#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bombard/simulation_observer.hpp"
#include "sim/engines/engine.hpp"
#include "sim/reference_double.hpp"
#include "sim/simulation.hpp"

namespace bombard {

/// The largest error that an engine in double precision may have in a cell, relative to the sum of
/// the shares' magnitudes there; docs/methods.md, Double precision.
inline constexpr double tolerance_in_double = 5e-12;

/// How a layer compares with the reference's.
struct LayerComparison {
  std::int64_t differing_cells = 0;  ///< cells that differ in any bit, or by more than is allowed
  bool bit_for_bit = true;           ///< false: differences were allowed
  /// The largest difference relative to the reference's value, or in double precision to the
  /// shares' magnitudes. Cells where that is 0 do not count.
  double largest_relative_error = 0;
};

/// After one storm: both answers, and both layers compared.
struct StormComparison {
  std::string file;
  std::int64_t impacts;
  Maximum answer, reference;
  bool maxima_agree;  ///< bit for bit; in double precision, within the tolerance
  LayerComparison layer;
  std::optional<Evidence> evidence = {};  ///< from a fast engine in single precision

  bool agree() const { return maxima_agree && layer.differing_cells == 0; }
};

struct ValidationResult {
  Plan plan;
  std::vector<StormComparison> storms;

  bool agree() const;
};

/// An engine's answer to a storm, its layer after the storm, and how far each cell may lie from the
/// rule's. An empty uncertainty: bit for bit, or in double precision.
struct Answer {
  Maximum maximum;
  Layer layer;
  std::vector<float> uncertainty = {};
};

/// Compares two layers of the same length, bit for bit, or cell by cell with the differences that
/// `uncertainty` allows unless it is empty.
LayerComparison compare_layers(std::span<const float> layer, std::span<const float> reference,
                               std::span<const float> uncertainty = {});

/// Compares a layer with the reference's of the same length, within `tolerance` times the
/// magnitudes.
LayerComparison compare_layers(std::span<const double> layer, const ReferenceInDouble& reference,
                               double tolerance);

/// Applies a storm to the reference, which keeps its layer, and compares.
StormComparison compare(const Storm& storm, const Answer& answer, Engine& reference);
StormComparison compare(const Storm& storm, const Answer& answer, ReferenceInDouble& reference);

/// Runs the engine that the options ask for and the reference of its precision, side by side, on
/// storm files. Throws as simulate() does.
ValidationResult validate(const RunOptions& options, Communicator& ranks = Communicator::alone(),
                          const ProgressSink& progress = {}, const PlanSink& selected = {});

}  // namespace bombard
