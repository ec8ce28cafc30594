#include <cstdint>

#include "kernels/device/launch.cuh"
#include "kernels/layer/copy.hpp"

namespace bombard::cuda {

namespace {

__global__ void copy_kernel(const float* layer, float* copy, std::int64_t cells) {
  const std::int64_t k = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k < cells) copy[k] = layer[k];
}

}  // namespace

void copy(std::span<const float> layer, std::span<float> copy) {
  const auto cells = static_cast<std::int64_t>(layer.size());
  launch("copy", one_thread_each(cells), copy_kernel, layer.data(), copy.data(), cells);
}

}  // namespace bombard::cuda
