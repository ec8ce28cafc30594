#include "kernels/layer/vector_loops.hpp"

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET {

/// Each lane of each of four vectors keeps the first of its largest peaks; the lanes meet at the
/// end.
IndexedValue max_location(const float* layer, std::int64_t cells) {
  constexpr int vectors = 4;
  Floats value[vectors] = {};
  Indices index[vectors] = {};
  Indices lane;
  for (int i = 0; i < lanes; ++i) lane[i] = i;

  std::int64_t k = 1;
  for (; k + vectors * lanes < cells; k += vectors * lanes) {
    for (int j = 0; j < vectors; ++j) {
      const float* const cell = layer + k + j * lanes;
      const Floats here = load(cell);
      const auto larger = (here > load(cell - 1)) & (here > load(cell + 1)) & (here > value[j]);
      value[j] = larger ? here : value[j];
      index[j] = larger ? lane + static_cast<std::int32_t>(k + j * lanes) : index[j];
    }
  }
  IndexedValue largest{0.0F, 0};
  for (int j = 0; j < vectors; ++j) {
    for (int i = 0; i < lanes; ++i) {
      const IndexedValue peak{value[j][i], index[j][i]};
      if (precedes(peak, largest)) largest = peak;
    }
  }
  for (; k < cells - 1; ++k) {
    const float here = layer[k];
    if (here > layer[k - 1] && here > layer[k + 1] && here > largest.value) largest = {here, k};
  }
  return largest;
}

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET
