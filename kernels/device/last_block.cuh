#pragma once

namespace bombard::cuda {

/// Whether the block is the last one of its kernel that comes here: its threads then see what the
/// first threads of all blocks wrote before. `*arrived` is 0 before the kernel and after it. All
/// threads take part.
__device__ inline bool is_last_block(unsigned* arrived) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last) __threadfence();
  return last;
}

}  // namespace bombard::cuda
