#include "kernels/relax.hpp"

#include <cstdint>

#include "kernels/vector.hpp"

namespace bombard::cpu {

namespace {

[[gnu::always_inline]] inline void relax_loop(const float* __restrict copy, float* __restrict layer,
                                              std::int64_t cells) {
  for (std::int64_t k = 1; k < cells - 1; ++k) {
    layer[k] = (copy[k - 1] + copy[k] + copy[k + 1]) / 3.0F;
  }
}

BOMBARD_AVX512 void relax_avx512(const float* copy, float* layer, std::int64_t cells) {
  relax_loop(copy, layer, cells);
}
BOMBARD_AVX2 void relax_avx2(const float* copy, float* layer, std::int64_t cells) {
  relax_loop(copy, layer, cells);
}
void relax_baseline(const float* copy, float* layer, std::int64_t cells) {
  relax_loop(copy, layer, cells);
}

}  // namespace

void relax(std::span<const float> copy, std::span<float> layer) {
  const auto relax_layer = widest(relax_avx512, relax_avx2, relax_baseline);
  relax_layer(copy.data(), layer.data(), static_cast<std::int64_t>(layer.size()));
}

}  // namespace bombard::cpu
