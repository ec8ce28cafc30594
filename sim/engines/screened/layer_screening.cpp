#include "sim/engines/screened/layer_screening.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/base/stoppable_work.hpp"
#include "kernels/convolution/cpu/convolved_layer.hpp"
#include "kernels/convolution/sparse/sparse_layer.hpp"
#include "sim/engines/costs.hpp"
#include "sim/engines/highest_peaks.hpp"

namespace bombard {

namespace {

/// The first cell that lacks a property; all cells behind such a cell lack it, too. The end if none
/// lacks it. It looks near the beginning first.
template <class Has>
std::int64_t first_without(const CellRange& cells, const Has& has) {
  std::int64_t with = cells.begin - 1, step = 1;
  for (; with + step < cells.end && has(with + step); step *= 2) with += step;
  std::int64_t without = std::min(with + step, cells.end);
  while (without - with > 1) {
    const std::int64_t middle = with + (without - with) / 2;
    (has(middle) ? with : without) = middle;
  }
  return without;
}

/// The same from the end: behind the last cell that lacks it.
template <class Has>
std::int64_t end_without(const CellRange& cells, const Has& has) {
  const std::int64_t last = cells.end - 1;
  return cells.end - first_without({0, cells.count()}, [&](auto i) { return has(last - i); });
}

/// A gap between two groups: there the exact layer is log-convex (docs/methods.md, Sparse).
template <class Layer>
class Gap {
 public:
  /// `cells`, and whether the groups before and behind them may reach `least`.
  Gap(const LayerScreening<Layer>& screening, double least, const CellRange& cells,
      bool first_is_high, bool last_is_high)
      : screening_(screening),
        least_(least),
        cells_(cells),
        first_is_high_(first_is_high && is_high(cells.begin - 1)),
        last_is_high_(last_is_high && is_high(cells.end)) {}

  /// The pieces, one at either end, outside which no cell can be a peak that reaches `least`; one
  /// may be all of the gap.
  std::array<CellRange, 2> pieces() const {
    const CellRange none{cells_.end, cells_.end};
    if (!first_is_high_ && !last_is_high_) return {none, none};
    const std::int64_t low = first_is_high_ && last_is_high_ ? lowest()
                             : first_is_high_                ? cells_.end
                                                             : cells_.begin - 1;
    if (cells_.contains({low, low + 1}) && is_high(low)) return {with_gentle_slopes(cells_), none};
    const auto here = [&](std::int64_t cell) { return is_high(cell); };
    const CellRange before{cells_.begin, std::clamp(low, cells_.begin, cells_.end)};
    const CellRange behind{std::clamp(low + 1, cells_.begin, cells_.end), cells_.end};
    return {
        with_gentle_slopes(
            {before.begin, first_is_high_ ? first_without(before, here) : before.begin}),
        with_gentle_slopes({last_is_high_ ? end_without(behind, here) : behind.end, behind.end})};
  }

 private:
  bool is_high(std::int64_t cell) const { return screening_.upper(cell) >= least_; }

  /// The cell in which the layer is lowest, or one that does not reach `least`.
  std::int64_t lowest() const {
    std::int64_t low = cells_.begin, high = cells_.end - 1;
    while (low < high && is_high(low)) {
      const std::int64_t middle = low + (high - low) / 2;
      if (!is_high(middle)) return middle;
      if (screening_.upper(middle) > screening_.upper(middle + 1)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /// A piece without the cells at its ends where the rule's layer certainly falls towards the
  /// inside.
  CellRange with_gentle_slopes(CellRange piece) const {
    const auto below = [&](std::int64_t cell, std::int64_t neighbour) {
      return screening_.upper(cell) <= screening_.lower(neighbour);
    };
    piece.begin = first_without(piece, [&](auto k) { return below(k, k - 1); });
    piece.end = end_without(piece, [&](auto k) { return below(k, k + 1); });
    return piece;
  }

  const LayerScreening<Layer>& screening_;
  double least_;
  CellRange cells_;
  bool first_is_high_, last_is_high_;
};

}  // namespace

template <class Layer>
double LayerScreening<Layer>::lower(std::int64_t cell) const {
  const double here = value(cell);
  return here - (bound(here) + uncertainty(cell));
}

template <class Layer>
double LayerScreening<Layer>::upper(std::int64_t cell) const {
  const double here = value(cell);
  return here + (bound(here) + uncertainty(cell));
}

template <class Layer>
double LayerScreening<Layer>::relative_bound(std::int64_t cell) const {
  return own_.contains(cell) && value(cell) > 0 ? 1 - lower(cell) / value(cell) : 0;
}

template <class Layer>
std::vector<CellValue> LayerScreening<Layer>::best_peaks(std::size_t count) const {
  HighestPeaks best(count, absolute_);
  const auto look_at = [&](std::int64_t g) {
    const CellRange cells = group(g).common(own_);
    for (std::int64_t k = cells.begin; k < cells.end; ++k) {
      ++looked_at_;
      const CellValue cell{k, value(k)};
      if (best.takes(cell) && cell.value > value(k - 1) && cell.value > value(k + 1)) {
        best.add(cell);
      }
    }
  };
  // The most promising group first: after it hardly any other can matter.
  std::int64_t first = 0;
  for (std::int64_t g = 1; g < layer_.groups(); ++g) {
    if (layer_.highest(g) > layer_.highest(first)) first = g;
  }
  look_at(first);
  for (std::int64_t g = 0; g < layer_.groups(); ++g) {
    if (g != first && layer_.highest(g) >= best.least()) look_at(g);
  }
  return std::move(best).sorted();
}

template <class Layer>
std::optional<std::vector<std::int64_t>> LayerScreening<Layer>::candidates(
    double least, double most, std::size_t limit) const {
  std::vector<std::int64_t> found;
  std::int64_t in_gaps = 0;
  const auto look_at = [&](const CellRange& cells) {
    for (std::int64_t k = cells.begin; k < cells.end; ++k) {
      StoppableWork::may_stop_at(static_cast<std::size_t>(k - cells.begin));
      ++looked_at_;
      const double top = upper(k);
      if (top < least || top >= most || top <= 0) continue;
      if (top > lower(k - 1) && top > lower(k + 1)) found.push_back(k);
    }
  };
  bool before_is_high = false;  // the group before
  for (std::int64_t g = 0; g < layer_.groups(); ++g) {
    StoppableWork::may_stop_at(static_cast<std::size_t>(g));
    const double highest = layer_.highest(g);
    const bool now_high = highest + bound(highest) >= least;
    const bool was_high = std::exchange(before_is_high, now_high);
    if (!was_high && !now_high) continue;
    const CellRange cells = group(g);
    const CellRange gap{g > 0 ? group(g - 1).end : cells.begin, cells.begin};
    if (gap.count() > 0 && layer_.may_have_peaks(gap.counted_from(first_))) {
      for (const CellRange& piece : Gap(*this, least, gap, was_high, now_high).pieces()) {
        const CellRange own = piece.common(own_);
        if (own.count() <= 0) continue;
        if ((in_gaps += own.count()) > most_in_gaps) return std::nullopt;
        look_at(own);
      }
    }
    if (now_high) look_at(cells.common(own_));
    if (found.size() > limit) return std::nullopt;
  }
  return found;
}

template class LayerScreening<cpu::ConvolvedLayer>;
template class LayerScreening<cpu::SparseLayer>;

}  // namespace bombard
