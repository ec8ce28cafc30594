#pragma once

#include "kernels/base/indexed_value.hpp"

namespace bombard::cuda {

/// The higher of two peaks, of equal ones the first; index -1 is none.
__device__ inline IndexedValue higher(const IndexedValue& a, const IndexedValue& b) {
  const bool take_b =
      b.index >= 0 && (b.value > a.value || (b.value == a.value && b.index < a.index));
  return take_b ? b : a;
}

}  // namespace bombard::cuda
