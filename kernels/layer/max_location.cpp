#include "kernels/layer/max_location.hpp"

#include <algorithm>
#include <cstdint>

namespace bombard::cpu {

namespace {

/// The cell's value if it is a peak, or 0.
[[gnu::always_inline]] inline float peak(const float* cell) {
  return ((cell[0] > cell[-1]) & (cell[0] > cell[1])) ? cell[0] : 0;
}

/// Vector instructions find the highest peak of each group of cells. A search then finds its place
/// in the first group that has the highest peak of all.
IndexedValue highest_peak(const float* layer, std::int64_t cells) {
  constexpr std::int64_t together = 128;
  IndexedValue largest{0.0F, -1};
  for (std::int64_t begin = 1; begin < cells - 1; begin += together) {
    const std::int64_t end = std::min(begin + together, cells - 1);
    float highest = 0;
#pragma omp simd reduction(max : highest)
    for (std::int64_t k = begin; k < end; ++k) {
      const float here = peak(layer + k);
      highest = here > highest ? here : highest;
    }
    if (highest > largest.value) largest = {highest, begin};
  }
  if (largest.value == 0) return largest;
  while (peak(layer + largest.index) != largest.value) ++largest.index;
  return largest;
}

}  // namespace

IndexedValue max_location(std::span<const float> layer) {
  return highest_peak(layer.data(), std::ssize(layer));
}

}  // namespace bombard::cpu
