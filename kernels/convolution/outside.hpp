#pragma once

#include <cstdint>
#include <span>

#include "kernels/convolution/tables.hpp"
#include "kernels/convolution/uncertainty.hpp"
#include "kernels/layer/deposit.hpp"

namespace bombard::cpu {

/// The positions of a padded layer, first .. end-1. What is before them, or behind them, counts, or
/// it is a neighbour's.
struct PaddedRange {
  std::int64_t first, end;
  bool before_counts, behind_counts;
};

/// The states of one field at the two ends of a padded layer, A(0) and B(chunks - 1): see
/// sweep.hpp.
struct EndStates {
  AlignedDoubles before, behind;
};

/// The states that deposits outside the padded layer add up to, of energies and, unless it is
/// nullptr, of uncertainties. The sums do not depend on the number of threads.
void sum_outside(std::span<const Deposit> deposits, const PaddedRange& padded,
                 const DepositUncertainty* uncertainty, const ConvolutionTables& tables,
                 int threads, EndStates& energies, EndStates& uncertainties);

/// Deposits that are added one after the other; the sums of so many are then added in pairs.
inline constexpr std::int64_t outside_part = 1024;
/// Roundings of a share on the way: in its part, and in pairs that double up to 2^63 deposits.
inline constexpr std::int64_t outside_roundings = outside_part + 63;

}  // namespace bombard::cpu
