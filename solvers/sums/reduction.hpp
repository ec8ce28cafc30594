#pragma once

#include <cstdint>
#include <span>

#include "bombard/solve.hpp"
#include "solvers/kernel_timing.hpp"

namespace bombard {

/// solve::sum() and solve::maximum() on the current device, of values in memory of the host, which
/// the CUDA part registers. Deterministic on a device.
template <class T>
struct DeviceReductions {
  solve::Sum<T> (*sum)(std::span<const T> values);
  T (*maximum)(std::span<const T> values);  ///< of one value or more
};

/// The result of a scheme.
struct SumByScheme {
  double sum;
  /// Additions for each element read from or written to global memory.
  double operations_per_access;
  /// Threads that a multiprocessor holds of those it could; NaN where it is not known.
  double occupancy;
};

/// A way to sum floats, in memory of the host, on the current device. The CUDA part registers a
/// std::vector of them, which the study of reductions compares: some with one element for each
/// thread, whose block combines them; the one of DeviceReductions, with many elements for each
/// thread, one launch and sums in double; and CUB's, in float.
struct ReductionScheme {
  const char* name;
  std::int64_t block;  ///< threads; 0: the scheme's own choice
  SumByScheme (*sum)(std::span<const float> values, KernelTiming* timing);
};

}  // namespace bombard
