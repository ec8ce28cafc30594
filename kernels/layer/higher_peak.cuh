#pragma once

#include "kernels/base/indexed_value.hpp"

namespace bombard::cuda {

/// The higher of two peaks, or the first of equal ones. Peaks are above 0; {0, -1} stands for none.
/// This is precedes(b, a), written out: a call of that function makes the kernels that end with a
/// reduction 2 to 4% slower (measured on an H200).
template <class Value>
__device__ Indexed<Value> higher(const Indexed<Value>& a, const Indexed<Value>& b) {
  const bool take_b =
      b.index >= 0 && (b.value > a.value || (b.value == a.value && b.index < a.index));
  return take_b ? b : a;
}

/// The highest of the peaks of a warp's lanes, returned in lane 0. All lanes must call it.
template <class Value>
__device__ Indexed<Value> highest_of_warp(Indexed<Value> peak) {
  if (!__any_sync(~0U, peak.index >= 0)) return peak;  // most warps far from impacts have none
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    peak = higher(
        peak, {__shfl_down_sync(~0U, peak.value, lanes), __shfl_down_sync(~0U, peak.index, lanes)});
  }
  return peak;
}

}  // namespace bombard::cuda
