#pragma once

#include <cstdint>
#include <span>

#include "kernels/layer/divisor_table.hpp"
#include "kernels/layer/rule.hpp"
#include "kernels/layer/scaled_impact.hpp"

/// Update: adds a storm to the layer. For every cell, in the order of the impacts,
/// layer[k] += share if the share counts (docs/methods.md, The rule). Bit-identical on every
/// device.
///
/// rule     of the whole layer
/// impacts  P of them, in file order; shares beyond the reach of one are not computed, where that
///          saves whole vectors or blocks
/// first    index in the whole layer of layer[0]
/// layer    any number of cells
namespace bombard::cpu {
template <class Law>
void update(const LayerRule<Law>& rule, std::span<const ScaledImpact> impacts, std::int64_t first,
            std::span<float> layer);

/// The same with divisors looked up where the table holds them: four times as fast when there are
/// many impacts.
template <class Law>
void update(const LayerRule<Law>& rule, std::span<const ScaledImpact> impacts, std::int64_t first,
            const DivisorTable<Law>& table, std::span<float> layer);

/// Neighbouring cells of the layer, the first one's index and their values.
struct LayerPiece {
  std::int64_t first;
  std::span<float> cells;
};

/// Whether small pieces of a layer of so many cells are updated sooner together: where many impacts
/// lie far apart, for shares of near ones differ from cell to cell. Each cell of a small piece
/// costs then, where else a vector of cells costs as much as one. Measured on two cores with
/// AVX-512.
inline bool pays_together(std::span<const ScaledImpact> impacts, std::int64_t cells_of_layer) {
  constexpr std::int64_t many_impacts = 1024, cells_apart = 1024;
  const auto count = static_cast<std::int64_t>(impacts.size());
  return count >= many_impacts && cells_of_layer / count >= cells_apart;
}

/// The same for several pieces, those of a few cells together (docs/methods.md, In file order, at
/// once). With a `share_tolerance` of 0 or more they end no lower than they would, and hardly
/// higher than by that much for each share.
template <class Law>
void update(const LayerRule<Law>& rule, std::span<const ScaledImpact> impacts,
            const DivisorTable<Law>& table, std::span<const LayerPiece> pieces,
            float share_tolerance = -1);
}  // namespace bombard::cpu

/// Spans of device memory; returns once launched. `all_count`: every share is known to count, and
/// no test is needed.
namespace bombard::cuda {
template <class Law>
void update(const LayerRule<Law>& rule, std::span<const ScaledImpact> impacts, bool all_count,
            std::int64_t first, std::span<float> layer);
}
