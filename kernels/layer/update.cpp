#include "kernels/layer/update.hpp"

#include "kernels/layer/attenuation.hpp"
#include "kernels/layer/every_share.hpp"
#include "kernels/layer/vector_kernels.hpp"

namespace bombard::cpu {

namespace {

/// The loops of each law.
auto loop_for(SquareRootLaw) {
  return vector_kernels().update_by_square_root;
}

}  // namespace

template <class Law>
void update(std::span<const ScaledImpact> impacts, float smallest, std::int64_t first,
            const DivisorTable<Law>& table, std::span<float> layer) {
  if (impacts.empty() || layer.empty()) return;
  const auto cells = static_cast<std::int64_t>(layer.size());
  const bool all = every_share_counts<Law>(extent_of(impacts), {first, first + cells}, smallest);
  loop_for(Law())({impacts.data(), static_cast<std::int64_t>(impacts.size()), smallest, all,
                   table.middle(), table.reach(), first, layer.data(), cells});
}

template <class Law>
void update(std::span<const ScaledImpact> impacts, float smallest, std::int64_t first,
            std::span<float> layer) {
  update(impacts, smallest, first, DivisorTable<Law>(), layer);
}

template void update(std::span<const ScaledImpact>, float, std::int64_t,
                     const DivisorTable<SquareRootLaw>&, std::span<float>);
template void update<SquareRootLaw>(std::span<const ScaledImpact>, float, std::int64_t,
                                    std::span<float>);

}  // namespace bombard::cpu
