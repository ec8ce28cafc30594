#pragma once

#include "kernels/reduction/reduction.cuh"

namespace bombard::cuda {

/// An operator of warps and blocks (kernels/reduction/reduction.cuh): the sum of values that their
/// threads hold.
template <class T>
struct Sum {
  using Value = T;

  __device__ static T identity() { return 0; }
  __device__ static T combine(T a, T b) { return a + b; }
  __device__ static T shuffle_down(T value, int lanes) {
    return __shfl_down_sync(~0U, value, lanes);
  }
};

}  // namespace bombard::cuda
