#pragma once

#include "kernels/base/indexed_value.hpp"
#include "kernels/device/warp.cuh"
#include "kernels/reduction/reduction.cuh"

namespace bombard::cuda {

/// The operation of a reduction to the highest peak.
template <class T>
struct HighestPeak {
  using Value = Indexed<T>;
  __host__ __device__ static Value identity() { return {0, -1}; }
  __device__ static Value combine(const Value& a, const Value& b) { return higher(a, b); }
  __device__ static Value shuffle_down(const Value& peak, int lanes) {
    return {__shfl_down_sync(all_lanes, peak.value, lanes),
            __shfl_down_sync(all_lanes, peak.index, lanes)};
  }
};

/// The highest of the peaks of a warp's lanes, returned in lane 0. All lanes must call it.
template <class T>
__device__ Indexed<T> highest_of_warp(const Indexed<T>& peak) {
  // Most warps far from impacts have none.
  if (!__any_sync(all_lanes, peak.index >= 0)) return peak;
  return WarpShuffles::combine_warp<HighestPeak<T>>(peak);
}

}  // namespace bombard::cuda
