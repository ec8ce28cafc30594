#pragma once

#include <cstdint>

#include "kernels/layer/cell_range.hpp"
#include "kernels/layer/vector_loops.hpp"

/// The rule's shares of as many impacts as a vector has lanes, without a table of divisors.
namespace bombard::cpu::BOMBARD_INSTRUCTION_SET {

/// Of energies at distances; 0 where a share does not count. No energy is negative.
template <class Law>
[[gnu::always_inline]] inline Floats shares(const UpdateWork<Law>& work, const float* energies,
                                            const float* distances) {
  float found[lanes];
// Unrolled it would not become vectors.
#pragma GCC unroll 1
  for (int i = 0; i < lanes; ++i) {
    const float share = energies[i] / work.law.divisor(distances[i]);
    found[i] = share >= work.smallest ? share : 0;
  }
  return load(found);
}

/// In a cell.
template <class Law>
[[gnu::always_inline]] inline Floats shares(const UpdateWork<Law>& work,
                                            const std::int64_t* positions, const float* energies,
                                            std::int64_t cell) {
  float distances[lanes];
#pragma GCC unroll 1
  for (int i = 0; i < lanes; ++i) distances[i] = distance(positions[i], cell);
  return shares(work, energies, distances);
}

/// What shares are in any of some cells, at most and at least.
struct ShareBounds {
  Floats highest, lowest;
};

/// A share does not grow with the distance, roundings included: the highest is that in the nearest
/// cell, the lowest that in the farthest.
template <class Law>
[[gnu::always_inline]] inline ShareBounds share_bounds(const UpdateWork<Law>& work,
                                                       const std::int64_t* positions,
                                                       const float* energies,
                                                       const CellRange& cells) {
  const std::int64_t first = cells.begin, last = cells.end - 1;
  float nearest[lanes], farthest[lanes];
#pragma GCC unroll 1
  for (int i = 0; i < lanes; ++i) {
    const std::int64_t behind_first = positions[i] - first, before_last = last - positions[i];
    const std::int64_t less = behind_first < before_last ? behind_first : before_last;
    const std::int64_t more = behind_first < before_last ? before_last : behind_first;
    nearest[i] = static_cast<float>(1 - (less < 0 ? less : 0));
    farthest[i] = static_cast<float>(1 + more);
  }
  return {shares(work, energies, nearest), shares(work, energies, farthest)};
}

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET
