#include "kernels/device/launch.cuh"
#include "kernels/layer/attenuation.hpp"
#include "kernels/layer/update.hpp"

namespace bombard::cuda {

namespace {

constexpr int threads = 256;

/// One thread a cell. The block fetches `threads` impacts at a time into shared memory, as offsets
/// from its own first cell; when all of them fit, 32-bit integers count the distance.
template <class Law>
__global__ void update_kernel(const ScaledImpact* impacts, std::int64_t count, float smallest,
                              std::int64_t first, float* layer, std::int64_t cells) {
  __shared__ std::int64_t offset[threads];
  __shared__ float energy[threads];
  const std::int64_t block = std::int64_t{blockIdx.x} * threads;
  const std::int64_t k = block + threadIdx.x;
  float value = k < cells ? layer[k] : 0;

  for (std::int64_t begin = 0; begin < count; begin += threads) {
    const int fetched = static_cast<int>(min(count - begin, std::int64_t{threads}));
    bool fits = true;
    if (threadIdx.x < fetched) {
      const ScaledImpact impact = impacts[begin + threadIdx.x];
      offset[threadIdx.x] = impact.position - (first + block);
      energy[threadIdx.x] = impact.energy;
      fits = std::abs(offset[threadIdx.x]) < (1 << 30);
    }
    const bool all_fit = __syncthreads_and(fits);
    for (int i = 0; i < fetched; ++i) {
      const int here = static_cast<int>(threadIdx.x);
      const float n = all_fit ? static_cast<float>(abs(static_cast<int>(offset[i]) - here) + 1)
                              : distance(offset[i], here);
      const float share = energy[i] / Law::divisor(n);
      if (counts(share, smallest)) value += share;
    }
    __syncthreads();
  }
  if (k < cells) layer[k] = value;
}

}  // namespace

template <class Law>
void update(std::span<const ScaledImpact> impacts, float smallest, std::int64_t first,
            std::span<float> layer) {
  const auto cells = static_cast<std::int64_t>(layer.size());
  launch("update", one_thread_each(cells, threads), update_kernel<Law>, impacts.data(),
         static_cast<std::int64_t>(impacts.size()), smallest, first, layer.data(), cells);
}

template void update<SquareRootLaw>(std::span<const ScaledImpact>, float, std::int64_t,
                                    std::span<float>);

}  // namespace bombard::cuda
