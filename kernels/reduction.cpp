#include "kernels/reduction.hpp"

#include <limits>

namespace bombard::cpu {

IndexedValue arg_max(std::span<const float> values) {
  if (values.empty()) return {-std::numeric_limits<float>::infinity(), -1};
  IndexedValue largest{values.front(), 0};
  for (std::size_t k = 1; k < values.size(); ++k) {
    if (values[k] > largest.value) largest = {values[k], static_cast<std::int64_t>(k)};
  }
  return largest;
}

}  // namespace bombard::cpu
