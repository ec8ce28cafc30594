#pragma once

// The highest of many peaks, the first of equal ones.

#include <cstdint>
#include <nv/target>

#include "kernels/convolution/cuda/convolved_layer.hpp"
#include "kernels/device/launch.cuh"
#include "kernels/layer/higher_peak.cuh"

namespace bombard::cuda {

/// The highest of so many peaks, `stride` apart, by one block; thread 0 knows it.
__device__ inline LayerPeak highest_of(const LayerPeak* peaks, std::int64_t count,
                                       std::int64_t stride) {
  LayerPeak peak{0, -1};
#pragma unroll 4
  for (std::int64_t i = threadIdx.x; i < count; i += blockDim.x) {
    peak = higher(peak, peaks[i * stride]);
  }
  __shared__ LayerPeak of_warp[32];
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

/// Of numbers in binary64, none of them NaN: their bits are in the same order, those of negative
/// ones the other way round.
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

/// Of each run of tiles the highest peak, in the place of the run's first: one block for each run.
constexpr int peak_threads = 1024;
constexpr std::int64_t peak_tiles = 1 << 11;
/// So many tiles' peaks one block looks through.
constexpr std::int64_t most_peaks_of_block = 1 << 13;
static __global__ void __launch_bounds__(peak_threads)
    highest_of_runs_kernel(LayerPeak* of_tile, std::int64_t tiles) {
  follow_previous();
  const std::int64_t begin = blockIdx.x * peak_tiles;
  const LayerPeak peak = highest_of(of_tile + begin, min(peak_tiles, tiles - begin), 1);
  if (threadIdx.x == 0) of_tile[begin] = peak;
}

static __global__ void __launch_bounds__(peak_threads)
    highest_peak_kernel(const LayerPeak* peaks, std::int64_t count, std::int64_t stride,
                        Screened* found) {
  follow_previous();
  const LayerPeak peak = highest_of(peaks, count, stride);
  if (threadIdx.x == 0) {
    found->peak = peak;
    found->count = 0;
  }
}

}  // namespace bombard::cuda
