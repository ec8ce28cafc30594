#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/base/host_array.hpp"

namespace bombard::cpu {

/// What the rule divides energies by, the roots of |d| + 1, for the differences d = cell - position
/// from -farthest to farthest. For one impact the divisors of neighbouring cells lie next to one
/// another, on either side of it and across it. It takes 8 bytes for each distance.
class DivisorTable {
 public:
  /// Distances up to here are exact floats.
  static constexpr std::int64_t most = (std::int64_t{1} << 23);

  /// A table without entries, in which nothing is looked up.
  DivisorTable() = default;

  /// Throws CannotRun if memory is short. farthest <= most.
  explicit DivisorTable(std::int64_t farthest) : values_(2 * farthest + 1), farthest_(farthest) {
    float* const middle = values_.data() + farthest;
    for (std::int64_t d = 0; d <= farthest; ++d) {
      middle[d] = std::sqrt(static_cast<float>(static_cast<std::int32_t>(d) + 1));
    }
    std::reverse_copy(middle + 1, middle + farthest + 1, values_.data());
  }

  /// -1 without entries.
  std::int64_t farthest() const { return farthest_; }
  /// The divisor for the difference 0; those for -farthest .. farthest lie around it. Null without
  /// entries.
  const float* middle() const { return values_.empty() ? nullptr : values_.data() + farthest_; }

 private:
  HostArray<float> values_;
  std::int64_t farthest_ = -1;
};

}  // namespace bombard::cpu
