#pragma once

// The highest of many peaks, the first of equal ones.

#include <cstdint>
#include <nv/target>

#include "kernels/convolution/candidates.hpp"
#include "kernels/layer/higher_peak.cuh"

namespace bombard::cuda {

/// The highest of `count` peaks, `stride` apart, by one block; thread 0 knows it.
__device__ inline LayerPeak highest_of(const LayerPeak* peaks, std::int64_t count,
                                       std::int64_t stride) {
  LayerPeak peak{0, -1};
#pragma unroll 4
  for (std::int64_t i = threadIdx.x; i < count; i += blockDim.x) {
    peak = higher(peak, peaks[i * stride]);
  }
  __shared__ LayerPeak of_warp[32];
  __syncthreads();  // those of another search may still be read
  peak = highest_of_warp(peak);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = peak;
  __syncthreads();
  if (threadIdx.x == 0) {
#pragma unroll 1  // one thread, once: short code is quicker here
    for (int w = 1; w < static_cast<int>(blockDim.x) / 32; ++w) peak = higher(peak, of_warp[w]);
  }
  return peak;
}

__device__ inline unsigned largest_of_warp(unsigned number) {
  NV_IF_ELSE_TARGET(NV_PROVIDES_SM_80, (return __reduce_max_sync(~0U, number);),
                    (for (int lanes = 16; lanes > 0; lanes /= 2) {
                      number = max(number, __shfl_xor_sync(~0U, number, lanes));
                    } return number;))
}
__device__ inline unsigned smallest_of_warp(unsigned number) {
  return ~largest_of_warp(~number);
}

/// The largest of numbers in binary64 without NaN: their bits are in the same order, those of
/// negative numbers the other way round.
__device__ inline double largest_of_warp(double number) {
  constexpr long long sign = 1LL << 63;
  long long bits = __double_as_longlong(number);
  bits ^= bits < 0 ? -1 : sign;
  const unsigned upper = largest_of_warp(static_cast<unsigned>(bits >> 32));
  const bool may_be = upper == static_cast<unsigned>(bits >> 32);
  const unsigned lower = largest_of_warp(may_be ? static_cast<unsigned>(bits) : 0U);
  bits = static_cast<long long>(std::uint64_t{upper} << 32 | lower);
  return __longlong_as_double(bits ^ (bits < 0 ? sign : -1));
}

}  // namespace bombard::cuda
