#pragma once

#include <cstdint>
#include <cuda/std/limits>
#include <span>

#include "kernels/device/device_memory.hpp"
#include "kernels/reduction/reduction.cuh"
#include "solvers/sums/compensated_sum.hpp"
#include "solvers/sums/reduction.hpp"
#include "solvers/sums/smaller.hpp"

/// The operators of the in-house reduction (kernels/reduction/reduction.cuh) for the solvers.
namespace bombard::cuda {

/// The common part of operators on plain numbers: the warp's shuffle and the first step from
/// elements.
template <class Operator, class ElementType, class ValueType>
struct NumberOperator {
  using Element = ElementType;
  using Value = ValueType;

  template <int count>
  __device__ static void accumulate(Value& value, const Element (&elements)[count], std::int64_t) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      value = Operator::combine(value, static_cast<Value>(elements[i]));
    }
  }

  __device__ static Value shuffle_down(Value value, int lanes) {
    return __shfl_down_sync(~0U, value, lanes);
  }
};

template <class Element, class Value = SumOf<Element>>
struct Sum : NumberOperator<Sum<Element, Value>, Element, Value> {
  __host__ __device__ static Value identity() { return 0; }
  __host__ __device__ static Value combine(Value a, Value b) { return a + b; }
};

/// The sum of floating-point numbers that keeps what additions round off: 7 operations an element
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

template <class T>
struct Maximum : NumberOperator<Maximum<T>, T, T> {
  __host__ __device__ static T identity() {
    using Limits = ::cuda::std::numeric_limits<T>;
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  }
  __host__ __device__ static T combine(T a, T b) { return larger(a, b); }
};

}  // namespace bombard::cuda
