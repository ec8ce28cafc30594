#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/host_array.hpp"

namespace bombard::cpu {

/// The divisors of a law, divisor(|d| + 1), for the differences d = cell - position from -reach to
/// reach. The divisors of neighbouring cells for one impact lie side by side, on whichever side of
/// it the cells are and across it. 8 bytes a unit of reach.
template <class Law>
class DivisorTable {
 public:
  /// Without entries: nothing is looked up.
  DivisorTable() = default;

  /// Throws CannotRun without memory. reach < 2^24: the distances are then exact floats.
  explicit DivisorTable(std::int64_t reach) : values_(2 * reach + 1), reach_(reach) {
    float* const middle = values_.data() + reach;
    for (std::int64_t d = 0; d <= reach; ++d) {
      middle[d] = Law::divisor(static_cast<float>(static_cast<std::int32_t>(d) + 1));
    }
    std::reverse_copy(middle + 1, middle + reach + 1, values_.data());
  }

  std::int64_t reach() const { return reach_; }

  bool holds(std::int64_t d, std::int64_t count) const {
    return d >= -reach_ && d <= reach_ + 1 - count;
  }
  /// The divisors of `count` differences from d on, where holds(d, count).
  const float* at(std::int64_t d) const { return values_.data() + reach_ + d; }

 private:
  HostArray values_;
  std::int64_t reach_ = -1;
};

}  // namespace bombard::cpu
