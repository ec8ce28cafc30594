#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "kernels/device/device_memory.hpp"

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

}  // namespace bombard

namespace bombard::cuda {

/// The sum of floats by a scheme. Holds the memory it needs, so that it can be launched repeatedly.
class SumByScheme {
 public:
  virtual ~SumByScheme() = default;
  /// `values` in device memory, as many as were announced. Returns once launched.
  virtual void launch(std::span<const float> values) = 0;
  /// The last launch's answer; waits for it.
  virtual double result() const = 0;
  /// Threads that a multiprocessor holds of those it could; NaN where it is not known.
  virtual double occupancy() const = 0;
  /// Additions for each element read from or written to global memory.
  virtual double operations_per_access() const = 0;
};

/// `threads` a block: 32, 128, 256 or 1024, for the first five schemes; the others choose their
/// own.
std::unique_ptr<SumByScheme> make_sum(ReductionScheme scheme, int threads, std::int64_t count);

/// CUB's minimum of each of `segments` segments of `count` elements one after the other, to compare
/// the element-wise minima with.
class CubMinima {
 public:
  CubMinima(std::int64_t count, std::int64_t segments);
  /// minima[s] for the segments of `values`, both in device memory. Returns once launched.
  void launch(std::span<const std::int32_t> values, std::span<std::int32_t> minima);

 private:
  std::int64_t count_, segments_;
  DeviceArray<std::byte> workspace_;
  std::size_t workspace_bytes_ = 0;
};

/// A kernel of one block that does nothing: what a launch costs at least.
void launch_nothing();

}  // namespace bombard::cuda
