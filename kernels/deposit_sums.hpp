#pragma once

#include <cstdint>
#include <span>

#include "kernels/deposit.hpp"
#include "kernels/device_memory.hpp"

namespace bombard::cuda {

/// Adds up the energies of many deposits cell by cell, on the device. One addition after the other
/// to random places of an array beyond the second-level cache waits for memory each time; sorted
/// into windows that shared memory holds, deposits are read and sums written in order.
class DepositSums {
 public:
  /// The number of a cell is packed into 32 bits.
  static constexpr std::int64_t most_cells = (std::int64_t{1} << 32) - 2;

  /// Whether the device has room for so many deposits beside what it holds now.
  bool has_room(std::int64_t deposits) const;

  /// sums[i] = the energies of all deposits at position i - first; those elsewhere are left out.
  /// Exact, in any order. For 1 to most_cells sums. All in device memory; returns once launched.
  /// Throws CannotRun without room.
  void sum(std::span<const Deposit> deposits, std::int64_t first, std::span<std::int64_t> sums);

 private:
  DeviceArray<std::uint64_t> packed_[2];
  DeviceArray<std::int64_t> starts_;
  DeviceArray<std::uint8_t> workspace_;
};

}  // namespace bombard::cuda
