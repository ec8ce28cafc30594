#include "kernels/layer/max_location.hpp"

#include <algorithm>
#include <cstdint>

#include "kernels/base/vector.hpp"

namespace bombard::cpu {

namespace {

/// The cell's value if it is a peak, or 0.
[[gnu::always_inline]] inline float peak(const float* cell) {
  return ((cell[0] > cell[-1]) & (cell[0] > cell[1])) ? cell[0] : 0;
}

/// In some cells at a time vectors find the value of the highest peak, and if that exceeds those
/// before, a search finds its place.
[[gnu::always_inline]] inline IndexedValue highest_peak(const float* layer, std::int64_t cells) {
  constexpr std::int64_t together = 256;
  IndexedValue largest{0.0F, 0};
  for (std::int64_t begin = 1; begin < cells - 1; begin += together) {
    const std::int64_t end = std::min(begin + together, cells - 1);
    float highest = largest.value;
#pragma omp simd reduction(max : highest)
    for (std::int64_t k = begin; k < end; ++k) {
      const float here = peak(layer + k);
      highest = here > highest ? here : highest;
    }
    if (highest == largest.value) continue;
    std::int64_t place = begin;
    while (peak(layer + place) != highest) ++place;
    largest = {highest, place};
  }
  return largest;
}

}  // namespace

IndexedValue max_location(std::span<const float> layer) {
  return by_widest<highest_peak>(layer.data(), std::ssize(layer));
}

}  // namespace bombard::cpu
