#pragma once

#include <cstdint>

namespace bombard::cpu {

/// Impacts whose shares differ among the cells of a block, or may do so.
struct OpenImpacts {
  static constexpr int most = 1024;
  static constexpr int room = most + 16;  ///< whole vectors are written and read

  int count;
  float offsets[room];         ///< position less the block's first cell, rounded
  float energies[room];        ///< scaled by the rule
  float units_before[room];    ///< what has been counted of the impacts before each
  std::int32_t numbers[room];  ///< among the impacts of the update
};

/// What update_by_counting() works in: blocks of 4096 cells, their quarters, and so on down to 16.
struct CountingMemory {
  static constexpr int parts = 4, levels = 5;
  static constexpr std::int64_t fewest_cells = 16;

  OpenImpacts open[levels][parts];             ///< of the parts of a block
  float shares[levels][2][OpenImpacts::room];  ///< at the two ends of a part, in units
};

}  // namespace bombard::cpu
