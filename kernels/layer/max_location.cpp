#include "kernels/layer/max_location.hpp"

#include <algorithm>

#include "kernels/layer/vector_kernels.hpp"

namespace bombard::cpu {

IndexedValue max_location(std::span<const float> layer) {
  constexpr std::int64_t stretch = std::int64_t{1} << 29;
  const auto cells = static_cast<std::int64_t>(layer.size());
  IndexedValue largest{0.0F, 0};
  for (std::int64_t first = 0; first < cells; first += stretch) {
    // With a neighbour on each side, which is compared but is no peak here.
    const std::int64_t begin = std::max<std::int64_t>(0, first - 1);
    const std::int64_t end = std::min(cells, first + stretch + 1);
    const IndexedValue found = vector_kernels().max_location(layer.data() + begin, end - begin);
    const IndexedValue in_layer{found.value, begin + found.index};
    if (precedes(in_layer, largest)) largest = in_layer;
  }
  return largest;
}

}  // namespace bombard::cpu
