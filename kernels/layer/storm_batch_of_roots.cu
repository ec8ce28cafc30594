#include "kernels/layer/storm_batch.cuh"

namespace bombard::cuda {

template void load_batch<SquareRootLaw>();
template void apply_batch(const LayerRule<SquareRootLaw>&, const StormBatch&, const Part&,
                          std::span<const float>, std::span<float>, std::span<IndexedValue>);

}  // namespace bombard::cuda
