#pragma once

#include <cstdint>
#include <span>

#include "bombard/storm.hpp"
#include "kernels/counting/counting.hpp"
#include "kernels/layer/rule.hpp"
#include "kernels/layer/scaled_impact.hpp"
#include "kernels/share/divisor_table.hpp"

/// Update: adds a storm to the layer. For every cell, in the order of the impacts,
/// layer[k] += share if the share counts (docs/methods.md, The rule). Bit-identical on every
/// device.
///
/// rule       the rule of the whole layer
/// impacts    in file order; shares beyond an impact's reach are not computed where that saves
///            whole vectors or blocks
/// all_count  every share is known to count: no test is needed
/// first      index in the whole layer of layer[0]
/// layer      any number of cells
namespace bombard::cpu {
/// Divisors are looked up where the table holds them, which is four times as fast when there are
/// many impacts. With `counting`, and if the law is the square root, impacts are counted for
/// neighbouring cells together, which is faster for many impacts on many cells.
template <class Law>
void update(const LayerRule<Law>& rule, std::span<const ScaledImpact> impacts, bool all_count,
            std::int64_t first, const DivisorTable& table, std::span<float> layer,
            CountingMemory* counting = nullptr);

}  // namespace bombard::cpu

/// The spans are in device memory; returns once launched. Impacts are scaled where they are used.
namespace bombard::cuda {
template <class Law>
void update(const LayerRule<Law>& rule, std::span<const Impact> impacts, std::int64_t first,
            std::span<float> layer);
}  // namespace bombard::cuda
