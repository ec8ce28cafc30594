#include "kernels/convolution/cuda/apply.cuh"

namespace bombard::cuda {

namespace {

template <bool tracked>
__global__ void __launch_bounds__(tile_threads, 2)  // shared memory has room for two
    apply_exponentials_kernel(const TileStorm storm) {
  apply_to_tile<tracked, Within::exponentials>(storm);
}

}  // namespace

ApplyKernel* apply_kernel_by_exponentials(bool tracked) {
  return tracked ? apply_exponentials_kernel<true> : apply_exponentials_kernel<false>;
}

}  // namespace bombard::cuda
