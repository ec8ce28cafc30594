#pragma once

#include <cstdint>
#include <span>

#include "kernels/layer/divisor_table.hpp"
#include "kernels/layer/scaled_impact.hpp"

/// Update: adds a storm to the layer. For every cell, in the order of the impacts,
/// layer[k] += share if the share counts (docs/methods.md, The rule). Bit-identical on every
/// device.
///
/// impacts   P of them, in file order
/// smallest  T / L, from smallest_share()
/// first     index in the whole layer of layer[0]
/// layer     any number of cells
namespace bombard::cpu {
template <class Law>
void update(std::span<const ScaledImpact> impacts, float smallest, std::int64_t first,
            std::span<float> layer);

/// The same with divisors looked up where the table holds them: four times as fast when there are
/// many impacts.
template <class Law>
void update(std::span<const ScaledImpact> impacts, float smallest, std::int64_t first,
            const DivisorTable<Law>& table, std::span<float> layer);
}  // namespace bombard::cpu

/// Spans of device memory; returns once launched.
namespace bombard::cuda {
template <class Law>
void update(std::span<const ScaledImpact> impacts, float smallest, std::int64_t first,
            std::span<float> layer);
}
