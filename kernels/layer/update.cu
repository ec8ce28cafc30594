#include "kernels/device/launch.cuh"
#include "kernels/layer/update.hpp"

namespace bombard::cuda {

namespace {

constexpr int threads = 256;

/// One thread a cell. The block fetches `threads` impacts at a time into shared memory; when all of
/// them are near enough, 32-bit integers count the distance. Impacts that do not reach the block
/// are passed over.
template <class Law, bool all_count>
__global__ void update_kernel(const LayerRule<Law> rule, const ScaledImpact* impacts,
                              std::int64_t count, std::int64_t first, float* layer,
                              std::int64_t cells) {
  __shared__ ScaledImpact fetched[threads];
  const std::int64_t block = std::int64_t{blockIdx.x} * threads;
  const std::int64_t k = block + threadIdx.x;
  float value = k < cells ? layer[k] : 0;

  for (std::int64_t begin = 0; begin < count; begin += threads) {
    const int here = static_cast<int>(threadIdx.x);
    const int at_once = static_cast<int>(min(count - begin, std::int64_t{threads}));
    bool near = true;
    if (here < at_once) {
      fetched[here] = impacts[begin + here];
      near = std::abs(fetched[here].position - (first + block)) < (1 << 30);
    }
    const bool all_near = __syncthreads_and(near);
    for (int i = 0; i < at_once; ++i) {
      const std::int64_t offset = fetched[i].position - (first + block);
      if (!all_count && !reaches_cells(fetched[i], offset, threads)) continue;
      const float n = all_near ? static_cast<float>(abs(static_cast<int>(offset) - here) + 1)
                               : distance(offset, here);
      const float share = rule.share(fetched[i].energy, n);
      if (all_count || counts(share, rule.smallest)) value += share;
    }
    __syncthreads();
  }
  if (k < cells) layer[k] = value;
}

}  // namespace

template <class Law>
void update(const LayerRule<Law>& rule, std::span<const ScaledImpact> impacts, bool all_count,
            std::int64_t first, std::span<float> layer) {
  const auto cells = static_cast<std::int64_t>(layer.size());
  launch("update", one_thread_each(cells, threads),
         all_count ? update_kernel<Law, true> : update_kernel<Law, false>, rule, impacts.data(),
         static_cast<std::int64_t>(impacts.size()), first, layer.data(), cells);
}

template void update(const LayerRule<SquareRootLaw>&, std::span<const ScaledImpact>, bool,
                     std::int64_t, std::span<float>);
template void update(const LayerRule<GeneralLaw>&, std::span<const ScaledImpact>, bool,
                     std::int64_t, std::span<float>);

}  // namespace bombard::cuda
