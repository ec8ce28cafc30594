#include "kernels/update.hpp"

#include "kernels/attenuation.hpp"

namespace bombard::cpu {

template <class Law>
void update(std::span<const ScaledImpact> impacts, float smallest, std::int64_t first,
            std::span<float> layer) {
  for (const ScaledImpact& impact : impacts) {
    for (std::size_t k = 0; k < layer.size(); ++k) {
      const float s = share<Law>(impact, first + static_cast<std::int64_t>(k));
      if (counts(s, smallest)) layer[k] += s;
    }
  }
}
template void update<SquareRootLaw>(std::span<const ScaledImpact>, float, std::int64_t,
                                    std::span<float>);

}  // namespace bombard::cpu
