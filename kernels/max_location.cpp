#include "kernels/max_location.hpp"

namespace bombard::cpu {

namespace {

bool is_peak(std::span<const float> layer, std::size_t k) {
  return layer[k] > layer[k - 1] && layer[k] > layer[k + 1] && layer[k] > 0.0F;
}

}  // namespace

void mark_peaks(std::span<const float> layer, std::span<float> peaks) {
  if (layer.empty()) return;
  peaks.front() = 0.0F;
  for (std::size_t k = 1; k + 1 < layer.size(); ++k) {
    peaks[k] = is_peak(layer, k) ? layer[k] : 0.0F;
  }
  peaks.back() = 0.0F;
}

IndexedValue max_location(std::span<const float> layer) {
  IndexedValue largest{0.0F, 0};
  for (std::size_t k = 1; k + 1 < layer.size(); ++k) {
    if (layer[k] > largest.value && is_peak(layer, k)) {
      largest = {layer[k], static_cast<std::int64_t>(k)};
    }
  }
  return largest;
}

}  // namespace bombard::cpu
