// Stands in for instruction_sets_x86.cpp on other processors: one set, which the compiler was told
// of.

#include <array>

#include "kernels/vector_kernels.hpp"

namespace bombard::cpu {

std::span<const VectorKernels* const> offered_vector_kernels() {
  static constexpr std::array known{&baseline::vector_kernels};
  return known;
}

}  // namespace bombard::cpu
