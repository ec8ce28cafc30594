#pragma once

#include <cstdint>

#include "kernels/reduction/reduction.cuh"
#include "solvers/sums/compensated_sum.hpp"

/// Operators of the in-house reduction (kernels/reduction/reduction.cuh) for the solvers.
namespace bombard::cuda {

/// For warps and blocks alone: the sum of values that their threads hold.
template <class T>
struct Sum {
  using Value = T;

  __device__ static T identity() { return 0; }
  __device__ static T combine(T a, T b) { return a + b; }
  __device__ static T shuffle_down(T value, int lanes) {
    return __shfl_down_sync(~0U, value, lanes);
  }
};

/// The sum of floating-point numbers that keeps what additions round off: 7 operations per element
/// instead of 1, which an H200 does while the elements come from memory.
template <class T>
struct AccurateSum {
  using Element = T;
  using Value = CompensatedSum;

  __host__ __device__ static Value identity() { return {}; }
  __host__ __device__ static Value combine(Value a, const Value& b) {
    a.add(b);
    return a;
  }

  template <int count>
  __device__ static void accumulate(Value& value, const Element (&elements)[count], std::int64_t) {
#pragma unroll
    for (int i = 0; i < count; ++i) value.add(static_cast<double>(elements[i]));
  }

  __device__ static Value shuffle_down(const Value& value, int lanes) {
    return {__shfl_down_sync(~0U, value.sum, lanes), __shfl_down_sync(~0U, value.lost, lanes)};
  }
};

}  // namespace bombard::cuda
