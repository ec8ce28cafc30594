#pragma once

/// The thread's place in its block: warps are groups of 32 threads, which are their lanes.
namespace bombard::cuda {

inline constexpr int lanes_of_warp = 32;
/// For votes and shuffles: all lanes of the warp take part.
inline constexpr unsigned all_lanes = ~0U;

__device__ inline int lane() {
  return static_cast<int>(threadIdx.x) % lanes_of_warp;
}
__device__ inline int warp() {
  return static_cast<int>(threadIdx.x) / lanes_of_warp;
}

}  // namespace bombard::cuda
