#include "kernels/layer/vector_loops.hpp"

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET {

void relax(const float* __restrict copy, float* __restrict layer, std::int64_t cells) {
  for (std::int64_t k = 1; k < cells - 1; ++k) {
    layer[k] = (copy[k - 1] + copy[k] + copy[k + 1]) / 3.0F;
  }
}

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET
