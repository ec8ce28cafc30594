#pragma once

#include <cstdint>
#include <span>
#include <vector>

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

/// A way to sum floats, in memory of the host, on the current device.
struct ReductionScheme {
  const char* name;
  std::int64_t block;  ///< threads; 0: the scheme's own choice
  SumByScheme (*sum)(std::span<const float> values, KernelTiming* timing);
};

/// The schemes that the study of reductions compares, which the CUDA part registers. The first ones
/// give a thread one element, and a block combines those of its threads; then the one of
/// DeviceReductions, with many elements a thread, one launch and sums in double; and CUB's, in
/// float.
struct DeviceSchemes {
  std::vector<ReductionScheme> all;
};

}  // namespace bombard
