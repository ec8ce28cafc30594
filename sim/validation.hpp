#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bombard/plan.hpp"
#include "sim/engines/engine.hpp"
#include "sim/reference_double.hpp"

namespace bombard {

/// The largest error that an engine in double precision may have in a cell, relative to the sum of
/// the shares' magnitudes there; docs/methods.md, Double precision.
inline constexpr double tolerance_in_double = 5e-12;

/// How a layer compares with the reference's.
struct LayerComparison {
  std::int64_t differing_cells = 0;  ///< cells that differ in any bit, or by more than is allowed
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
  std::optional<LayerComparison> layer = {};  ///< of an engine that has one
  std::optional<Evidence> evidence = {};      ///< from a fast engine in single precision

  bool agree() const { return maxima_agree && (!layer || layer->differing_cells == 0); }
};

/// Compares two layers of the same length, bit for bit.
LayerComparison compare_layers(std::span<const float> layer, std::span<const float> reference);

/// Compares a layer with the reference's of the same length, within `tolerance` times the
/// magnitudes.
LayerComparison compare_layers(std::span<const double> layer, const ReferenceInDouble& reference,
                               double tolerance);

/// What an engine is compared with, storm by storm: the reference of the plan's precision.
class Validation {
 public:
  explicit Validation(const Plan& plan);

  /// The reference's seconds for all storms, and its bytes with the layers that are compared.
  static double seconds(const Plan& plan);
  static std::int64_t bytes(const Plan& plan);

  /// Applies a storm to the reference, and compares an engine's maximum after it, and its layer if
  /// it has one.
  StormComparison compare(const Storm& storm, const Maximum& answer, const Layer* layer);

 private:
  std::unique_ptr<Engine> reference_;  ///< one of the two
  std::optional<ReferenceInDouble> in_double_;
};

}  // namespace bombard
