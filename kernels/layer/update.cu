#include "kernels/device/launch.cuh"
#include "kernels/layer/update.hpp"

namespace bombard::cuda {

namespace {

constexpr int threads = 256;

/// One thread for each cell. The block fetches `threads` impacts at a time into shared memory, as
/// offsets from its own first cell; if all of them fit, distances are computed in 32-bit integers.
/// Impacts that do not reach the block are skipped.
template <class Law, bool all_count>
__global__ void update_kernel(const LayerRule<Law> rule, const Impact* impacts,
                              const std::int64_t* reach_of, std::int64_t count, std::int64_t first,
                              float* layer, std::int64_t cells) {
  __shared__ std::int64_t offset[threads];
  __shared__ float energy[threads];
  __shared__ bool reaches[all_count ? 1 : threads];
  const std::int64_t block = std::int64_t{blockIdx.x} * threads;
  const std::int64_t k = block + threadIdx.x;
  float value = k < cells ? layer[k] : 0;

  for (std::int64_t begin = 0; begin < count; begin += threads) {
    const int fetched = static_cast<int>(min(count - begin, std::int64_t{threads}));
    bool fits = true;
    if (threadIdx.x < fetched) {
      const Impact impact = impacts[begin + threadIdx.x];
      offset[threadIdx.x] = impact.position - (first + block);
      energy[threadIdx.x] = rule.energy(impact.energy);
      if (!all_count) {
        reaches[threadIdx.x] =
            reaches_cells(reach_of[begin + threadIdx.x], offset[threadIdx.x], threads);
      }
      fits = std::abs(offset[threadIdx.x]) < (1 << 30);
    }
    const bool all_fit = __syncthreads_and(fits);
    for (int i = 0; i < fetched; ++i) {
      if (!all_count && !reaches[i]) continue;
      const int here = static_cast<int>(threadIdx.x);
      const float n = all_fit ? static_cast<float>(abs(static_cast<int>(offset[i]) - here) + 1)
                              : distance(offset[i], here);
      const float share = rule.share(energy[i], n);
      if (all_count || counts(share, rule.smallest)) value += share;
    }
    __syncthreads();
  }
  if (k < cells) layer[k] = value;
}

}  // namespace

template <class Law>
void update(const LayerRule<Law>& rule, std::span<const Impact> impacts,
            std::span<const std::int64_t> reaches, std::int64_t first, std::span<float> layer) {
  const auto cells = static_cast<std::int64_t>(layer.size());
  launch("update", one_thread_each(cells, threads),
         reaches.empty() ? update_kernel<Law, true> : update_kernel<Law, false>, rule,
         impacts.data(), reaches.data(), static_cast<std::int64_t>(impacts.size()), first,
         layer.data(), cells);
}

template void update(const LayerRule<SquareRootLaw>&, std::span<const Impact>,
                     std::span<const std::int64_t>, std::int64_t, std::span<float>);
template void update(const LayerRule<GeneralLaw>&, std::span<const Impact>,
                     std::span<const std::int64_t>, std::int64_t, std::span<float>);

}  // namespace bombard::cuda
