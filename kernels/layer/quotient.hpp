#pragma once

#include "kernels/layer/vector_loops.hpp"

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET {

/// energy / divisor, to the last bit; `turn` counts the vectors of a row (quotient_avx512.hpp).
[[gnu::always_inline]] inline Floats quotient(int /*turn*/, float energy, Floats divisor) {
  return energy / divisor;
}

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET
