#include "kernels/device/launch.cuh"
#include "kernels/layer/update.hpp"

namespace bombard::cuda {

namespace {

constexpr int threads = 256;

/// One thread for each cell. The block brings `threads` impacts at a time into its shared memory;
/// each thread adds their shares to its cell, in the order of the file.
__global__ void update_kernel(const LayerRule rule, const Impact* impacts, std::int64_t count,
                              std::int64_t first, float* layer, std::int64_t cells) {
  __shared__ ScaledImpact staged[threads];
  const std::int64_t k = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  float value = k < cells ? layer[k] : 0;

  for (std::int64_t begin = 0; begin < count; begin += threads) {
    const int together = static_cast<int>(min(count - begin, std::int64_t{threads}));
    if (threadIdx.x < together) {
      const Impact impact = impacts[begin + threadIdx.x];
      staged[threadIdx.x] = {impact.position, rule.energy(impact.energy)};
    }
    __syncthreads();
    for (int i = 0; i < together; ++i) {
      const float n = distance(staged[i].position, first + k);
      const float share = rule.share(staged[i].energy, n);
      if (counts(share, rule.smallest)) value += share;
    }
    __syncthreads();
  }
  if (k < cells) layer[k] = value;
}

}  // namespace

void update(const LayerRule& rule, std::span<const Impact> impacts, std::int64_t first,
            std::span<float> layer) {
  const auto cells = static_cast<std::int64_t>(layer.size());
  launch("update", one_thread_each(cells, threads), update_kernel, rule, impacts.data(),
         static_cast<std::int64_t>(impacts.size()), first, layer.data(), cells);
}

}  // namespace bombard::cuda
