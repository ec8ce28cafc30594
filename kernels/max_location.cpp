#include "kernels/max_location.hpp"

#include "kernels/vector.hpp"

namespace bombard::cpu {

namespace {

/// The value of cell k if it is a peak, else 0.
[[gnu::always_inline]] inline float peak(const float* layer, std::int64_t k) {
  const float here = layer[k];
  return here > layer[k - 1] && here > layer[k + 1] && here > 0.0F ? here : 0.0F;
}

/// Whether cells k .. k + vectors * lanes - 1 have a peak above `bound`.
template <int bytes, int vectors>
[[gnu::always_inline]] inline bool has_peak_above(const float* layer, float bound) {
  using Floats = Vector<float, bytes>;
  constexpr int lanes = bytes / static_cast<int>(sizeof(float));
  Vector<std::int32_t, bytes> any = {};
  for (int j = 0; j < vectors; ++j) {
    const Floats here = *reinterpret_cast<const Floats*>(layer + j * lanes);
    const Floats left = *reinterpret_cast<const Floats*>(layer + j * lanes - 1);
    const Floats right = *reinterpret_cast<const Floats*>(layer + j * lanes + 1);
    any |= (here > left) & (here > right) & (here > bound);
  }
  std::int32_t found = 0;
  for (int lane = 0; lane < lanes; ++lane) found |= any[lane];
  return found != 0;
}

/// Looks at single cells only in stretches that hold a new largest peak.
template <int bytes>
[[gnu::always_inline]] inline IndexedValue max_location_loop(const float* layer,
                                                             std::int64_t cells) {
  constexpr int vectors = 16;
  constexpr std::int64_t stretch = vectors * bytes / static_cast<int>(sizeof(float));
  IndexedValue largest{0.0F, 0};
  for (std::int64_t k = 1; k < cells - 1;) {
    std::int64_t end = cells - 1;
    if (k + stretch <= end) {
      end = k + stretch;
      if (!has_peak_above<bytes, vectors>(layer + k, largest.value)) k = end;
    }
    for (; k < end; ++k) {
      const float value = peak(layer, k);
      if (value > largest.value) largest = {value, k};
    }
  }
  return largest;
}

BOMBARD_AVX512 IndexedValue max_location_avx512(const float* layer, std::int64_t cells) {
  return max_location_loop<64>(layer, cells);
}
BOMBARD_AVX2 IndexedValue max_location_avx2(const float* layer, std::int64_t cells) {
  return max_location_loop<32>(layer, cells);
}
IndexedValue max_location_baseline(const float* layer, std::int64_t cells) {
  return max_location_loop<16>(layer, cells);
}

}  // namespace

void mark_peaks(std::span<const float> layer, std::span<float> peaks) {
  if (layer.empty()) return;
  const auto last = static_cast<std::int64_t>(layer.size()) - 1;
  peaks.front() = 0.0F;
  for (std::int64_t k = 1; k < last; ++k) {
    peaks[static_cast<std::size_t>(k)] = peak(layer.data(), k);
  }
  peaks.back() = 0.0F;
}

IndexedValue max_location(std::span<const float> layer) {
  const auto locate = widest(max_location_avx512, max_location_avx2, max_location_baseline);
  return locate(layer.data(), static_cast<std::int64_t>(layer.size()));
}

}  // namespace bombard::cpu
