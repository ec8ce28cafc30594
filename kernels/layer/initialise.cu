#include <cstdint>

#include "kernels/device/launch.cuh"
#include "kernels/layer/initialise.hpp"

namespace bombard::cuda {

namespace {

__global__ void initialise_kernel(float* layer, std::int64_t cells) {
  const std::int64_t k = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k < cells) layer[k] = 0;
}

}  // namespace

void initialise(std::span<float> layer) {
  const auto cells = static_cast<std::int64_t>(layer.size());
  launch("initialise", one_thread_each(cells), initialise_kernel, layer.data(), cells);
}

}  // namespace bombard::cuda
