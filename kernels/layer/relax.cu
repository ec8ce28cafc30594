#include <cstdint>

#include "kernels/device/launch.cuh"
#include "kernels/layer/relax.hpp"

namespace bombard::cuda {

namespace {

__global__ void relax_kernel(const float* copy, float* layer, std::int64_t cells) {
  const std::int64_t k = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (0 < k && k < cells - 1) layer[k] = (copy[k - 1] + copy[k] + copy[k + 1]) / 3;
}

}  // namespace

void relax(std::span<const float> copy, std::span<float> layer) {
  const auto cells = static_cast<std::int64_t>(layer.size());
  launch("relax", one_thread_each(cells), relax_kernel, copy.data(), layer.data(), cells);
}

}  // namespace bombard::cuda
