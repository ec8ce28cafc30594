#pragma once

#include <cstdint>
#include <span>

#include "kernels/base/indexed_value.hpp"
#include "kernels/layer/scaled_impact.hpp"

namespace bombard {

/// Storms for one pass over the layer: their impacts, storm after storm in file order, and where
/// each storm ends among them.
struct StormBatch {
  static constexpr int most_storms = 16;

  std::span<const ScaledImpact> impacts;
  std::span<const std::int64_t> ends;  ///< host memory; 1 to most_storms of them
  float smallest;                      ///< T / L
  bool all_count;                      ///< every share is known to count: no test is needed

  /// The set of hard_energies.hpp for the distances 1 .. quick_distance; empty with 0: then no
  /// share goes the quick way.
  std::span<const unsigned> hard_energies;
  std::int64_t quick_distance;
};

/// The cells that a pass works on, and those among them whose peaks it reports.
struct Window {
  std::int64_t first;               ///< index in the whole layer of the window's cell 0
  std::int64_t cells;               ///< cells in the window; its two ends are never relaxed
  std::int64_t own_begin, own_end;  ///< cells of the window that may be a maximum
};

}  // namespace bombard

/// Storm batch: update, relax and max-location of several storms in one pass, bit-identical to the
/// kernels of those names. A tile of cells with a margin of storms + 1 on each side stays in
/// registers through all storms.
namespace bombard::cuda {

/// before   the window's cells before the batch, or empty for zeros
/// after    the window's cells after it, or empty when nobody asks; does not overlap `before`
/// maxima   for each storm the largest peak and its index in the window, the smallest among equals;
///          {0, -1} without a peak
/// Spans of device memory except where said; returns once launched. No atomics: each launch depends
/// only on the one before it.
template <class Law>
void apply_batch(const StormBatch& batch, const Window& window, std::span<const float> before,
                 std::span<float> after, std::span<IndexedValue> maxima);

}  // namespace bombard::cuda
