#include <cstdint>

#include "kernels/device/launch.cuh"
#include "kernels/layer/max_location.hpp"

namespace bombard::cuda {

namespace {

__global__ void mark_peaks_kernel(const float* layer, float* peaks, std::int64_t cells) {
  const std::int64_t k = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= cells) return;
  const bool interior = 0 < k && k < cells - 1;
  const bool peak = interior && layer[k] > 0 && layer[k] > layer[k - 1] && layer[k] > layer[k + 1];
  peaks[k] = peak ? layer[k] : 0;
}

}  // namespace

void mark_peaks(std::span<const float> layer, std::span<float> peaks) {
  const auto cells = static_cast<std::int64_t>(layer.size());
  launch("mark peaks", one_thread_each(cells), mark_peaks_kernel, layer.data(), peaks.data(),
         cells);
}

}  // namespace bombard::cuda
