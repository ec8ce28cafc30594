#include <cmath>
#include <cstdlib>

#include "tools/benchmark/plain.hpp"

namespace bombard {

void plain_loop(std::span<const Impact> impacts, std::span<float> layer) {
  const int cells = static_cast<int>(layer.size());
  const float smallest = 0.001F / static_cast<float>(cells);
  for (const Impact& impact : impacts) {
    const float energy = static_cast<float>(impact.energy) * 1000;
    const int position = static_cast<int>(impact.position);
    for (int k = 0; k < cells; ++k) {
      const int distance = std::abs(position - k) + 1;
      const float share =
          energy / static_cast<float>(cells) / std::sqrt(static_cast<float>(distance));
      if (share >= smallest || share <= -smallest) layer[k] += share;
    }
  }
}

}  // namespace bombard
