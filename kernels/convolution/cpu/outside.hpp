#pragma once

#include <cstdint>
#include <span>

#include "bombard/storm.hpp"
#include "kernels/convolution/cpu/sweep.hpp"
#include "kernels/convolution/tables.hpp"
#include "kernels/convolution/uncertainty.hpp"

namespace bombard::cpu {

/// The positions of a padded layer, first .. end-1. What is before them, or behind them, counts, or
/// it is a neighbour's.
struct PaddedRange {
  std::int64_t first, end;
  bool before_counts, behind_counts;
};

/// Those of some deposits that lie outside a padded layer.
struct OutsideDeposits {
  std::span<const Impact> all;
  PaddedRange padded;
  const DepositUncertainty* uncertainty;  ///< nullptr: not wanted

  /// The largest distance of any that counts from the state that it comes to, or 0.
  std::int64_t farthest() const;
};

/// The states of one field at the two ends of a padded layer, A(0) and B(chunks - 1): see
/// sweep.hpp.
struct EndStates {
  AlignedDoubles before, behind;
};

/// The states that deposits outside the padded layer add up to, of energies and, if they are
/// wanted, of uncertainties. The decay digits of `tables` have all distances up to farthest(). The
/// sums do not depend on the number of threads.
void sum_outside(const OutsideDeposits& deposits, const SweepTables& tables,
                 const SweepKernels& kernels, int threads, EndStates& energies,
                 EndStates& uncertainties);

/// Deposits that are summed up by one thread; the sums of so many are then added in pairs.
inline constexpr std::int64_t outside_part = 1024;
/// Roundings of a share on the way: its exponential, in its part, where it is one of so many or
/// their sums are added in pairs, and in pairs that double up to 2^63 deposits.
inline constexpr std::int64_t outside_roundings = roundings_of_decay + decayed_in_a_row + 63;

}  // namespace bombard::cpu
