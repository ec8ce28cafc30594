#include "kernels/layer/relax.hpp"

#include <cstdint>

namespace bombard::cpu {

namespace {

void relax_cells(const float* __restrict copy, float* __restrict layer, std::int64_t cells) {
  for (std::int64_t k = 1; k < cells - 1; ++k) {
    layer[k] = (copy[k - 1] + copy[k] + copy[k + 1]) / 3.0F;
  }
}

}  // namespace

void relax(std::span<const float> copy, std::span<float> layer) {
  relax_cells(copy.data(), layer.data(), std::ssize(layer));
}

}  // namespace bombard::cpu
