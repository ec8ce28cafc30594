#pragma once

#include <cstdint>
#include <span>

#include "kernels/layer/cell_range.hpp"
#include "kernels/layer/rule.hpp"
#include "kernels/layer/scaled_impact.hpp"

namespace bombard::cpu {

/// What the rule leaves in a row of cells among which no impact lies, without the value of any of
/// them: the shares of its first and its last cell bound all others (docs/methods.md, Flat gaps).
/// Its cost is two shares for each impact, whatever the number of cells.
///
///   RowBounds row(cells);  // of 0 before the first storm
///   for (storms) { row.add(rule, impacts); row.relax(); }
///   if (row.may_have_peak()) ...
class RowBounds {
 public:
  /// Each relax() leaves out the outermost cell on either side. Cells must be left, and none of
  /// them may be the layer's first or last one.
  explicit RowBounds(const CellRange& cells) : cells_(cells) {}

  /// Update: adds the shares that count of impacts in file order. Their energies are at least 0. If
  /// one of the impacts lies among the cells, nothing is known from then on.
  template <class Law>
  void add(const LayerRule<Law>& rule, std::span<const ScaledImpact> impacts);
  void relax();

  /// No cell left exceeds this.
  float most() const { return most_; }
  /// Whether a cell left may exceed the one before it, and a cell the one after it; if not, the row
  /// only rises or only falls.
  bool may_have_peak() const { return may_rise_ && may_fall_; }

 private:
  CellRange cells_;
  float least_ = 0, most_ = 0;
  bool may_rise_ = false, may_fall_ = false;
};

}  // namespace bombard::cpu
