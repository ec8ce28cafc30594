#pragma once

#include <cstdint>
#include <span>

#include "bombard/storm.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/layer/cell_deposit.hpp"

namespace bombard::cuda {

/// Adds up the energies of many deposits cell by cell, on the device. One addition after the other
/// to random places of an array beyond the second-level cache waits for memory each time; sorted
/// into windows that shared memory holds, deposits are read and sums written in order.
class DepositSums {
 public:
  /// Cells are numbered in 32 bits.
  static constexpr std::int64_t most_cells = std::int64_t{1} << 32;

  /// Whether the device has room for so many deposits, fewer than 2^32, and these bytes beside what
  /// it holds now, and the shared memory for windows: from compute capability 9.0 on.
  bool can_sum(std::int64_t deposits, std::int64_t bytes) const;

  /// sums[i] = the energies of all deposits to cell i, for cells < sums.size(), 1 to most_cells.
  /// Exact, in any order. All in device memory; returns once launched. Throws CannotRun without
  /// room.
  void sum(std::span<const CellDeposit> deposits, std::span<std::int64_t> sums);

 private:
  DeviceArray<CellDeposit> sorted_;
  DeviceArray<unsigned> counts_, starts_;
  DeviceArray<std::uint8_t> workspace_;
};

}  // namespace bombard::cuda
