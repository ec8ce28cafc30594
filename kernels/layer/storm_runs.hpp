#pragma once

#include <cstdint>
#include <span>

#include "bombard/storm.hpp"
#include "kernels/base/indexed_value.hpp"
#include "kernels/layer/rule.hpp"

namespace bombard {

/// The storms of many runs, each on a layer of its own, one after another: run r has the storms
/// run_starts[r] .. run_starts[r + 1] - 1, and storm s the deposits storm_starts[s] ..
/// storm_starts[s + 1] - 1, in file order. Spans of device memory.
struct StormRuns {
  /// A layer of a run has no more.
  static constexpr std::int64_t most_cells = 12 * 256;

  std::span<const Impact> deposits;
  std::span<const std::int64_t> storm_starts, run_starts;
  std::int64_t cells;  ///< of each layer, 1 to most_cells
  bool all_count;      ///< every share is known to count: no test is needed
};

}  // namespace bombard

/// Storm runs: update, relax and max-location of all storms of many small layers in one launch,
/// bit-identical to the kernels of those names. A layer stays in the registers of one block.
namespace bombard::cuda {

/// maxima   for each storm the largest peak and its cell, the smallest among equals; {0, -1}
///          without a peak; device memory
/// Returns once launched.
template <class Law>
void apply_runs(const LayerRule<Law>& rule, const StormRuns& runs, std::span<IndexedValue> maxima);

}  // namespace bombard::cuda
