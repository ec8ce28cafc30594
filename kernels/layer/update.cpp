#include "kernels/layer/update.hpp"

#include <type_traits>

#include "kernels/layer/update_work.hpp"

namespace bombard::cpu {

template <class Law>
void update(const LayerRule<Law>& rule, std::span<const ScaledImpact> impacts, bool all_count,
            std::int64_t first, const DivisorTable& table, std::span<float> layer,
            CountingMemory* counting) {
  if (impacts.empty() || layer.empty()) return;
  const UpdateWork<Law> work{rule.law,
                             impacts.data(),
                             static_cast<std::int64_t>(impacts.size()),
                             rule.smallest,
                             all_count,
                             table.middle(),
                             table.farthest(),
                             first,
                             layer.data(),
                             static_cast<std::int64_t>(layer.size()),
                             counting};
  if constexpr (std::is_same_v<Law, SquareRootLaw>) {
    if (counting != nullptr) return counting::update_by_counting(work);
  }
  update(work);
}

template void update(const LayerRule<SquareRootLaw>&, std::span<const ScaledImpact>, bool,
                     std::int64_t, const DivisorTable&, std::span<float>, CountingMemory*);
template void update(const LayerRule<GeneralLaw>&, std::span<const ScaledImpact>, bool,
                     std::int64_t, const DivisorTable&, std::span<float>, CountingMemory*);

}  // namespace bombard::cpu
