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

/// The part of an update's time that counting takes, 1 or more where it does not pay; for a storm
/// of impacts that are spread over a layer. An impact is added by the rule where its number of
/// units changes: in a block of 16 cells, with e / u the energy in units, these are the impacts
/// nearer than n = (8 e / u)^(2/3), and twice as many beyond. The unit is that of the whole storm's
/// sum. Measured on two cores with AVX-512 (docs/journal.md, Counting).
double time_of_counting(double cells, double impacts);

}  // namespace bombard::cpu
