#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/layer/part.hpp"
#include "sim/engines/screened/screening.hpp"

namespace bombard {

/// The search on a CPU looks at cells in groups and skips most of these: docs/methods.md, Why
/// a cell may be dropped. (On a GPU: cuda::ConvolvedLayer::screen().) In a gap between two groups
/// the exact layer is convex: no more than two pieces of the gap, one at either end, reach any
/// given value. Their ends are found by bisection. Layer is cpu::ConvolvedLayer, whose groups leave
/// no gaps, or cpu::SparseLayer.
template <class Layer>
class LayerScreening final : public Screening {
 public:
  /// `layer` has the cells that `part` holds, and must not change while this is in use. Peaks count
  /// among the part's own cells; the first and the last one held never do. `factor` and `absolute`
  /// as in ErrorBound.
  LayerScreening(const Layer& layer, const Part& part, double factor, double absolute)
      : layer_(layer),
        first_(part.held.begin),
        own_(part.own.common({part.held.begin + 1, part.held.end - 1})),
        factor_(factor),
        absolute_(absolute) {}

  double lower(std::int64_t cell) const override;
  /// The most that the rule's value of a cell can be.
  double upper(std::int64_t cell) const;
  double relative_bound(std::int64_t cell) const override;
  std::vector<CellValue> best_peaks(std::size_t count) const override;
  std::optional<std::vector<std::int64_t>> candidates(double least, double most,
                                                      std::size_t limit) const override;

  /// The number of cells that were looked at one by one.
  std::int64_t looked_at() const { return looked_at_; }

 private:
  double value(std::int64_t cell) const { return layer_.value(cell - first_); }
  double uncertainty(std::int64_t cell) const { return layer_.uncertainty(cell - first_); }
  CellRange group(std::int64_t group) const { return layer_.group(group).counted_from(-first_); }
  double bound(double value) const { return factor_ * value + absolute_; }

  const Layer& layer_;
  std::int64_t first_;
  CellRange own_;
  double factor_, absolute_;
  mutable std::int64_t looked_at_ = 0;
};

}  // namespace bombard
