#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/convolution/convolved_layer.hpp"
#include "kernels/layer/cell_range.hpp"

namespace bombard {

/// A fast layer with the bounds of its cells, and which of them may be the rule's maximum. (On a
/// GPU: cuda::ConvolvedLayer::screen().)
class Screening {
 public:
  /// Peaks count among these cells of the layer; its first and last cell never do. `factor` and
  /// `absolute` as in ErrorBound, the factor 0 when the layer tracks uncertainties.
  Screening(const cpu::ConvolvedLayer& layer, double factor, double absolute, const CellRange& own);

  /// What the rule's value of a cell can be.
  double lower(std::int64_t cell) const;
  double upper(std::int64_t cell) const;
  /// How far that is from the fast layer's value at most, relative to it.
  double relative_bound(std::int64_t cell) const { return upper(cell) / layer_.value(cell) - 1; }

  /// The largest strict local maximum of the fast layer that is above 0 by more than `absolute`,
  /// the smallest position among equals.
  std::optional<std::int64_t> best_peak() const;

  /// Cells whose rule's value may be a strict local maximum above 0 and at least `least`, but for
  /// those that may reach `most`; ascending. Stops behind the first `limit` of them.
  std::vector<std::int64_t> candidates(double least, double most, std::size_t limit) const;

  /// A value that no more than about so many groups of cells may reach; 0 when that is all of them.
  double reached_by(std::int64_t groups) const;

 private:
  double highest(std::int64_t group) const;
  CellRange cells_of(std::int64_t group) const;
  bool may_be_peak(std::int64_t cell) const;

  const cpu::ConvolvedLayer& layer_;
  double factor_, absolute_;
  CellRange own_;
};

}  // namespace bombard
