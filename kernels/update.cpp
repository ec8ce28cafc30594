#include "kernels/update.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/attenuation.hpp"
#include "kernels/vector_kernels.hpp"

namespace bombard::cpu {

namespace {

/// Whether every share of every impact counts in cells first .. last. A share does not grow with
/// the distance (energy / divisor(n), each rounding monotone), so the smallest energy at the
/// largest distance decides.
template <class Law>
bool every_share_counts(std::span<const ScaledImpact> impacts, float smallest, std::int64_t first,
                        std::int64_t last) {
  float weakest = std::numeric_limits<float>::infinity();
  std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
  std::int64_t highest = std::numeric_limits<std::int64_t>::min();
  for (const ScaledImpact& impact : impacts) {
    weakest = std::min(weakest, std::fabs(impact.energy));
    lowest = std::min(lowest, impact.position);
    highest = std::max(highest, impact.position);
  }
  const float farthest = std::max(distance(lowest, last), distance(highest, first));
  return counts(weakest / Law::divisor(farthest), smallest);
}

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
  const bool all = every_share_counts<Law>(impacts, smallest, first, first + cells - 1);
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
