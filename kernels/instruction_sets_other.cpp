// Stands in for instruction_sets_x86.cpp on other processors: one set, which the compiler was told
// of.

#include <array>

#include "kernels/instruction_set.hpp"

namespace bombard::cpu {

std::span<const std::string_view> offered_instruction_sets() {
  static constexpr std::array<std::string_view, 1> known{"baseline"};
  return known;
}

}  // namespace bombard::cpu
