#include "kernels/convolution/cuda/apply.cuh"

namespace bombard::cuda {

namespace {

template <bool tracked>
__global__ void __launch_bounds__(tile_threads, 2)  // shared memory has room for two
    apply_exponentials_kernel(const TileStorm storm) {
  apply_to_tile<tracked, Within::exponentials>(storm);
}

}  // namespace

void allow_apply_by_exponentials() {
  allow_shared_memory(apply_exponentials_kernel<false>);
  allow_shared_memory(apply_exponentials_kernel<true>);
}

void apply_by_exponentials(const TileStorm& storm, bool tracked, std::int64_t shared_bytes) {
  launch_beside("apply", {storm.terms.tiles, tile_threads, shared_bytes},
                tracked ? apply_exponentials_kernel<true> : apply_exponentials_kernel<false>,
                storm);
}

}  // namespace bombard::cuda
