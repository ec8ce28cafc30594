#pragma once

#include <cstdint>
#include <span>

#include "kernels/layer/rule.hpp"
#include "kernels/layer/scaled_impact.hpp"
#include "kernels/share/divisor_table.hpp"

namespace bombard::cpu {

/// Impacts that may add different numbers of units to the cells of a block, in file order.
struct OpenImpacts {
  static constexpr int most = 4096;
  static constexpr int room = most + 16;  ///< whole vectors are written and read

  /// 2 * (position less the layer's first cell), plus 1 if an odd number of units was counted
  /// before it.
  alignas(64) std::int32_t places[room];
  float energies[room];  ///< scaled by the rule
  int count;
};

/// Working memory of update_by_counting(): for blocks of 16384 cells, their eighths, and so on down
/// to 32 cells.
struct CountingMemory {
  static constexpr int parts = 8, levels = 4;
  static constexpr int fewest_cells = 32, most_cells = 16384;

  alignas(64) float layer[most_cells];
  OpenImpacts given;
  OpenImpacts open[levels][parts];                         ///< for neighbouring blocks of a level
  alignas(64) float shares[levels][2][OpenImpacts::room];  ///< at the two ends of a block, in units
};

/// As update() (kernels/layer/update.hpp) of impacts whose shares all count, but impacts are
/// counted for neighbouring cells together (docs/methods.md, Counting), which is faster for many
/// impacts on many cells.
void update_by_counting(const LayerRule& rule, std::span<const ScaledImpact> impacts,
                        std::int64_t first, const DivisorTable& table, std::span<float> layer,
                        CountingMemory& memory);

}  // namespace bombard::cpu
