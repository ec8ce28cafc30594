#pragma once

#include <cstdint>
#include <vector>

#include "kernels/convolution/cpu/layer_storm.hpp"
#include "kernels/convolution/cpu/sweep.hpp"
#include "kernels/convolution/tables.hpp"
#include "kernels/layer/cell_range.hpp"

namespace bombard::cpu {

/// The impacts of a storm that lie outside a padded layer, on the side where its states come from.
struct OutsideImpacts {
  std::vector<std::int64_t> distances;  ///< from the state that they come to, A(0) or B(chunks - 1)
  std::vector<double> amounts[2];  ///< [field] energies and, where they are given, uncertainties

  /// The impacts before the positions of the padded layer, whose states go to the right, or those
  /// behind them.
  OutsideImpacts(const LayerStorm& storm, const CellRange& padded, Towards side);

  /// The state that they add up to, of energies (field 0) or of uncertainties (1).
  AlignedDoubles state(int field, const SweepTables& tables, const SweepKernels& kernels) const;
};

/// Roundings of a share on the way: its exponential; in a row, an addition for each share of it; in
/// pairs, an addition for each pair of sums; and in pairs that double up to 2^63 impacts.
inline constexpr std::int64_t outside_roundings = roundings_of_decay + decayed_in_a_row + 63;

}  // namespace bombard::cpu
