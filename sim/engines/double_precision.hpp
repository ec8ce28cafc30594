#pragma once

#include <algorithm>
#include <cstdint>
#include <variant>

#include "kernels/layer/cell_range.hpp"
#include "kernels/layer/reach.hpp"
#include "sim/engines/storm_extent.hpp"

namespace bombard {

/// The error that double precision asks of the convolution, relative to the sum over |energy|:
/// about what binary64 allows.
inline constexpr double double_precision_error = 1e-12;

/// Which shares the true sums have: those that the rule counts. Where its attenuation has a law in
/// binary32, that arithmetic decides.
using CountingRule = std::variant<LayerRule<SquareRootLaw>, LayerRule<GeneralLaw>, TrueRule>;

inline CountingRule counting_rule(const Rule& rule, std::int64_t cells) {
  if (!GeneralLaw::of(rule.attenuation)) {
    return TrueRule{rule.attenuation, rule.scale_in_double(cells),
                    rule.smallest_share_in_double(cells)};
  }
  return with_law(rule, cells, [](const auto& of_law) -> CountingRule { return of_law; });
}

inline std::int64_t reach(const CountingRule& rule, std::int32_t energy) {
  return std::visit([&](const auto& member) { return reach(member, energy); }, rule);
}

/// As storm_extent.hpp's.
inline bool every_share_counts(const CountingRule& rule, const StormExtent& storm,
                               const CellRange& cells) {
  if (storm.impacts == 0) return true;
  const std::int64_t farthest =
      1 + std::max(std::abs(cells.end - 1 - storm.lowest), std::abs(storm.highest - cells.begin));
  // 2^31 is an energy's magnitude, but its negative only is an energy.
  return reach(rule, static_cast<std::int32_t>(-storm.weakest)) >= farthest;
}

/// How far off the true sums may be whatever a cell's value: what a storm's sources leave beyond
/// their reaches. `error_of_end` is ConvolvedLayer::cut_error().
inline double error_beyond_reaches(const Rule& rule, std::int64_t cells, std::int64_t impacts,
                                   double error_of_end) {
  return error_of_end * static_cast<double>(impacts) * rule.smallest_share_in_double(cells);
}

}  // namespace bombard
