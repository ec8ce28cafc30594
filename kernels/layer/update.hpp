#pragma once

#include <cstdint>
#include <span>

#include "bombard/storm.hpp"
#include "kernels/layer/rule.hpp"
#include "kernels/layer/scaled_impact.hpp"
#include "kernels/share/divisor_table.hpp"

/// Update: adds a storm to the layer. For every cell, in the order of the impacts,
/// layer[k] += share if the share counts (docs/methods.md, The rule). Bit-identical on every
/// device.
///
/// rule     the rule of the whole layer
/// impacts  in file order
/// first    index in the whole layer of layer[0]
/// layer    any number of cells
namespace bombard::cpu {
/// Divisors are looked up where the table holds them, which is four times as fast when there are
/// many impacts. `every_share_counts`: it is known that no share needs a test.
void update(const LayerRule& rule, std::span<const ScaledImpact> impacts, bool every_share_counts,
            std::int64_t first, const DivisorTable& table, std::span<float> layer);
}  // namespace bombard::cpu

/// The spans are in device memory; returns once launched. Impacts are scaled where they are used.
namespace bombard::cuda {
void update(const LayerRule& rule, std::span<const Impact> impacts, std::int64_t first,
            std::span<float> layer);
}  // namespace bombard::cuda
