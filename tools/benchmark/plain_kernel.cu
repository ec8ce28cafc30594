#include "kernels/device/launch.cuh"
#include "tools/benchmark/plain.hpp"

namespace bombard::cuda {

namespace {

__global__ void plain(const Impact* impacts, std::int64_t count, float* layer, int cells) {
  const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (k >= cells) return;
  const float smallest = 0.001F / static_cast<float>(cells);
  float value = layer[k];
  for (std::int64_t i = 0; i < count; ++i) {
    const float energy = static_cast<float>(impacts[i].energy) * 1000;
    const int distance = abs(static_cast<int>(impacts[i].position) - k) + 1;
    const float share = energy / static_cast<float>(cells) / sqrtf(static_cast<float>(distance));
    if (share >= smallest || share <= -smallest) value += share;
  }
  layer[k] = value;
}

}  // namespace

void plain_kernel(std::span<const Impact> impacts, std::span<float> layer) {
  const auto cells = static_cast<std::int64_t>(layer.size());
  launch("plain", one_thread_each(cells), plain, impacts.data(),
         static_cast<std::int64_t>(impacts.size()), layer.data(), static_cast<int>(cells));
}

}  // namespace bombard::cuda
