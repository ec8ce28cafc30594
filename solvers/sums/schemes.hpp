#pragma once

#include <span>

#include "kernels/device/device.hpp"
#include "solvers/kernel_timing.hpp"

namespace bombard {

/// The schemes that the study of reductions compares. The first five give a thread one element, and
/// a block combines those of its threads:
enum class ReductionScheme {
  interleaved_global,  ///< thread t adds element t + s if t is a multiple of 2 s, s = 1, 2, 4 ...:
                       ///< threads of a warp diverge; in global memory
  sequential_global,   ///< thread t < s adds element t + s, s = half the block, a quarter ...
  interleaved_shared,  ///< likewise, in shared memory
  sequential_shared,
  warp_shuffles,  ///< registers, within warps first
  inhouse,        ///< the one of reduction.hpp: many elements a thread, one launch, sums in double
  cub             ///< CUB's sum, in float
};

/// The result of a scheme.
struct SumByScheme {
  double sum;
  /// Additions for each element read from or written to global memory.
  double operations_per_access;
  /// Threads that a multiprocessor holds of those it could; NaN where it is not known.
  double occupancy;
};

/// The sum of floats by a scheme, which the CUDA part registers. `threads` a block: 32, 128, 256 or
/// 1024, for the first five schemes; the others choose their own.
struct DeviceSchemes {
  SumByScheme (*sum)(std::span<const float> values, ReductionScheme scheme, int threads,
                     KernelTiming* timing);
};

}  // namespace bombard

namespace bombard::cuda {

/// A kernel of one block that does nothing: what a launch costs at least.
void launch_nothing();

}  // namespace bombard::cuda
