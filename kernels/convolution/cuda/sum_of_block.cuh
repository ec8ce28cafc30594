#pragma once

namespace bombard::cuda {

/// A block adds up what its threads have, always in the same order; thread 0 has the sum. All
/// threads take part.
template <int threads>
__device__ double sum_of_block(double value) {
  __shared__ double of_thread[threads];
  __syncthreads();  // another sum may still be read
  of_thread[threadIdx.x] = value;
  __syncthreads();
  for (int step = threads / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) of_thread[threadIdx.x] += of_thread[threadIdx.x + step];
    __syncthreads();
  }
  return of_thread[0];
}

}  // namespace bombard::cuda
