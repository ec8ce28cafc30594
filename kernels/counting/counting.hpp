#pragma once

#include <cstdint>

namespace bombard::cpu {

/// Impacts that may add different numbers of units to the cells of a block, in file order.
struct OpenImpacts {
  static constexpr int most = 4096;
  static constexpr int room = most + 16;  ///< whole vectors are written and read

  alignas(64) std::int32_t offsets[room];  ///< position less the layer's first cell
  float energies[room];                    ///< scaled by the rule, in units
  float parities[room];  ///< 1 where an odd number of units was counted before it, else 0
  int count;
};

/// What update_by_counting() works in: blocks of 16384 cells, their eighths, and so on down to 32.
struct CountingMemory {
  static constexpr int parts = 8, levels = 4;
  static constexpr int fewest_cells = 32, most_cells = 16384;

  alignas(64) float layer[most_cells];
  OpenImpacts given;                                       ///< energies not yet in units
  OpenImpacts listed;                                      ///< those that a block takes
  OpenImpacts open[levels][parts];                         ///< of the parts of a block
  alignas(64) float shares[levels][2][OpenImpacts::room];  ///< at the two ends of a part, in units
};

}  // namespace bombard::cpu
