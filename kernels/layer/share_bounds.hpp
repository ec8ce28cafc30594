#pragma once

#include "kernels/layer/shares.hpp"

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET {

/// Those of a vector of impacts whose flags are -1 go behind the first `count` of a list, where
/// there is room for all of them. Returns how many the list has then.
[[gnu::always_inline]] inline int append(Indices flags, const std::int64_t* positions,
                                         const float* energies, std::int64_t* listed_positions,
                                         float* listed_energies, int count) {
  std::int32_t chosen[lanes];
  *reinterpret_cast<Indices*>(chosen) = flags;
  for (int i = 0; i < lanes; ++i) {
    listed_positions[count] = positions[i];
    listed_energies[count] = energies[i];
    count += chosen[i] != 0;
  }
  return count;
}

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET
