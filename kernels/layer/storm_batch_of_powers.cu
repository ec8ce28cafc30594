#include "kernels/layer/storm_batch.cuh"

namespace bombard::cuda {

template void load_batch<GeneralLaw>();
template void apply_batch(const LayerRule<GeneralLaw>&, const StormBatch&, const Part&,
                          std::span<const float>, std::span<float>, std::span<IndexedValue>);

}  // namespace bombard::cuda
