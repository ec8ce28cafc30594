#pragma once

namespace bombard::cuda {

/// Whether the block is the last of the `blocks` blocks that arrive here with this counter: its
/// threads then see what the first threads of these blocks wrote before. `*arrived` is 0 before the
/// kernel and after it. All threads must call it.
__device__ inline bool is_last_block(unsigned* arrived, unsigned blocks) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicInc(arrived, blocks - 1) == blocks - 1;
  }
  __syncthreads();
  if (last) __threadfence();
  return last;
}

}  // namespace bombard::cuda
