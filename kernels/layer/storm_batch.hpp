#pragma once

#include <cstdint>
#include <span>

#include "bombard/storm.hpp"
#include "kernels/base/indexed_value.hpp"
#include "kernels/layer/part.hpp"
#include "kernels/layer/rule.hpp"

namespace bombard {

/// Storms for one pass over the layer: their impacts, storm by storm in file order, and where each
/// storm ends among them.
struct StormBatch {
  static constexpr int most_storms = 16;

  std::span<const Impact> impacts;
  std::span<const std::int64_t> reaches;  ///< one for each impact; empty: every share counts
  std::span<const std::int64_t> ends;     ///< host memory; 1 to most_storms of them
};

}  // namespace bombard

/// Storm batch: update, relax and max-location of several storms in one pass, bit-identical to the
/// kernels of those names. A tile with a margin of storms + 1 cells on each side stays in registers
/// through all storms.
namespace bombard::cuda {

/// part     the pass works on the cells held, and never relaxes the first and the last of them;
///          only own cells can be a maximum
/// before   the cells held before the batch, or empty for zeros
/// after    the cells held after it, or empty if they are not needed; does not overlap `before`
/// maxima   for each storm the largest peak and its index among the cells held, the smallest among
///          equals; {0, -1} if there is no peak
/// Spans are in device memory unless stated otherwise; returns once launched. No atomics: each
/// launch depends only on the one before it.
template <class Law>
void apply_batch(const LayerRule<Law>& rule, const StormBatch& batch, const Part& part,
                 std::span<const float> before, std::span<float> after,
                 std::span<IndexedValue> maxima);

}  // namespace bombard::cuda
