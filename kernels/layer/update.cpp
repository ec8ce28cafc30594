#include "kernels/layer/update.hpp"

#include "kernels/base/vector.hpp"
#include "kernels/layer/vector_kernels.hpp"

namespace bombard::cpu {

namespace {

/// The loops of each law.
auto loop_for(SquareRootLaw) {
  return vector_kernels().update_by_square_root;
}
auto loop_for(GeneralLaw) {
  return vector_kernels().update_by_power;
}

}  // namespace

template <class Law>
void update(const LayerRule<Law>& rule, std::span<const ScaledImpact> impacts, bool all_count,
            std::int64_t first, const DivisorTable& table, std::span<float> layer,
            CountingMemory* counting) {
  if (impacts.empty() || layer.empty()) return;
  loop_for(rule.law)({rule.law, impacts.data(), static_cast<std::int64_t>(impacts.size()),
                      rule.smallest, all_count, table.middle(), table.farthest(), first,
                      layer.data(), static_cast<std::int64_t>(layer.size()), counting});
}

template <class Law>
void update_apart(const LayerRule<Law>& rule, std::span<const ScaledImpact> impacts,
                  std::span<const std::int64_t> firsts, std::span<float> layer) {
  loop_for(rule.law)({.law = rule.law,
                      .impacts = impacts.data(),
                      .count = static_cast<std::int64_t>(impacts.size()),
                      .smallest = rule.smallest,
                      .layer = layer.data(),
                      .cells = std::ssize(layer) / ranges_apart,
                      .firsts = firsts.data()});
}

template void update(const LayerRule<SquareRootLaw>&, std::span<const ScaledImpact>, bool,
                     std::int64_t, const DivisorTable&, std::span<float>, CountingMemory*);
template void update(const LayerRule<GeneralLaw>&, std::span<const ScaledImpact>, bool,
                     std::int64_t, const DivisorTable&, std::span<float>, CountingMemory*);
template void update_apart(const LayerRule<SquareRootLaw>&, std::span<const ScaledImpact>,
                           std::span<const std::int64_t>, std::span<float>);
template void update_apart(const LayerRule<GeneralLaw>&, std::span<const ScaledImpact>,
                           std::span<const std::int64_t>, std::span<float>);

const VectorKernels& vector_kernels() {
  if constexpr (BOMBARD_IS_X86_64) {
    return *widest(&avx512::vector_kernels, &avx2::vector_kernels, &baseline::vector_kernels);
  }
  return baseline::vector_kernels;
}

}  // namespace bombard::cpu
