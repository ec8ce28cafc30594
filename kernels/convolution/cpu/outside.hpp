#pragma once

#include <cstdint>
#include <vector>

#include "kernels/convolution/cpu/layer_storm.hpp"
#include "kernels/convolution/cpu/sweep.hpp"
#include "kernels/convolution/tables.hpp"

namespace bombard::cpu {

/// The positions of a padded layer, first .. end-1. Positions before them, or behind them, count
/// here, or they belong to a neighbour.
struct PaddedRange {
  std::int64_t first, end;
  bool before_counts, behind_counts;
};

/// The impacts of a storm that lie outside a padded layer and count: their distances from the state
/// that they come to, A(0) or B(chunks - 1) (sweep.hpp), and what they bring.
class OutsideImpacts {
 public:
  OutsideImpacts(const LayerStorm& storm, const PaddedRange& padded);

  /// The largest distance, or 0.
  std::int64_t farthest() const;
  /// The states that they add up to, of energies (field 0) or of uncertainties (1). The decay
  /// digits of `tables` have all distances up to farthest().
  AlignedDoubles state_before(int field, const SweepTables& tables,
                              const SweepKernels& kernels) const {
    return sum(before_, field, tables, kernels);
  }
  AlignedDoubles state_behind(int field, const SweepTables& tables,
                              const SweepKernels& kernels) const {
    return sum(behind_, field, tables, kernels);
  }

 private:
  struct OneSide {
    std::vector<std::int64_t> distances;
    std::vector<double> amounts[2];  ///< [field]
  };
  static AlignedDoubles sum(const OneSide& side, int field, const SweepTables& tables,
                            const SweepKernels& kernels);

  OneSide before_, behind_;
};

/// Roundings of a share on the way: its exponential; in a row, an addition for each share of it; in
/// pairs, an addition for each pair of sums; and in pairs that double up to 2^63 impacts.
inline constexpr std::int64_t outside_roundings = roundings_of_decay + decayed_in_a_row + 63;

}  // namespace bombard::cpu
