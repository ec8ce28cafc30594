#include "sim/engines/sparse/sparse_screening.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "sim/engines/costs.hpp"

namespace bombard {

SparseScreening::SparseScreening(cpu::SparseLayer& layer, double factor, double absolute,
                                 const CellRange& own, double most_shares)
    : layer_(layer),
      factor_(factor),
      absolute_(absolute),
      most_shares_(most_shares),
      own_(own.common({1, layer.cells() - 1})) {}

double SparseScreening::lower(std::int64_t cell) const {
  const double value = layer_.value(cell);
  return value - (factor_ * value + absolute_ + layer_.excess());
}

double SparseScreening::upper(std::int64_t cell) const {
  return upper_of(layer_.value(cell));
}

double SparseScreening::relative_bound(std::int64_t cell) const {
  return 1 - lower(cell) / layer_.value(cell);
}

/// The cells that storms have changed, and one more: in those behind it the layer is convex.
CellRange SparseScreening::left_end() const {
  return {0, layer_.end_cells() + 1};
}

CellRange SparseScreening::right_end() const {
  return {layer_.cells() - 1 - layer_.end_cells(), layer_.cells()};
}

void SparseScreening::look_for_peaks(const CellRange& cells, HighestPeaks& best) const {
  const CellRange own = cells.common(own_);
  for (std::int64_t k = own.begin; k < own.end; ++k) {
    const double here = layer_.value(k);
    ++cells_seen_;
    const CellValue cell{k, here};
    if (best.takes(cell) && here > layer_.value(k - 1) && here > layer_.value(k + 1)) {
      best.add(cell);
    }
  }
}

std::optional<std::int64_t> SparseScreening::best_peak() const {
  const std::vector<std::int64_t> best = best_peaks(1);
  if (best.empty()) return std::nullopt;
  return best.front();
}

std::vector<std::int64_t> SparseScreening::best_peaks(std::size_t count) const {
  HighestPeaks best(count, absolute_);
  // The ends' inner cells may be in a group, too.
  const std::int64_t groups_begin = layer_.groups() > 0 ? layer_.group(0).begin : layer_.cells();
  const std::int64_t groups_end = layer_.groups() > 0 ? layer_.group(layer_.groups() - 1).end : 0;
  look_for_peaks(left_end().common({0, groups_begin}), best);
  look_for_peaks(right_end().common({groups_end, layer_.cells()}), best);
  // The most promising groups first: after a few of them hardly another one can matter.
  std::vector<std::pair<double, std::int64_t>> groups;
  groups.reserve(static_cast<std::size_t>(layer_.groups()));
  for (std::int64_t g = 0; g < layer_.groups(); ++g) groups.emplace_back(layer_.highest(g), -g);
  std::ranges::make_heap(groups);
  while (!groups.empty() && groups.front().first >= best.least()) {
    look_for_peaks(layer_.group(-groups.front().second), best);
    std::ranges::pop_heap(groups);
    groups.pop_back();
  }
  std::vector<std::int64_t> cells;
  for (const CellValue& peak : std::move(best).sorted()) cells.push_back(peak.position);
  return cells;
}

/// The cells that may be the rule's maximum, while they are being found.
class SparseScreening::Search {
 public:
  Search(const SparseScreening& screening, double least, double most)
      : screening_(screening), least_(least), most_(most) {}

  void look_at(const CellRange& cells) {
    const CellRange own = cells.common(screening_.own_);
    for (std::int64_t k = own.begin; k < own.end; ++k) look_at(k);
  }

  /// Walks from cell `from`, which has been looked at, into the gap up to cell `end`, in steps of 1
  /// or -1, until a cell cannot reach the least. A gap in which no shares from both sides meet has
  /// no peak: there the rule's layer rises towards the sources, roundings included.
  void walk(std::int64_t from, std::int64_t end, std::int64_t step) {
    if ((end - from) * step <= 1 || screening_.upper(from) < least_) return;
    const CellRange gap = step > 0 ? CellRange{from + 1, end} : CellRange{end + 1, from};
    if (!screening_.layer_.shares_meet_in(gap)) return;
    for (std::int64_t k = from + step; k != end && !walked_enough(); k += step) {
      ++walked_;
      if (screening_.own_.contains(k)) look_at(k);
      if (screening_.upper(k) < least_) return;
    }
  }

  bool gave_up(std::size_t limit) const { return walked_enough() || found_.size() > limit; }

  std::vector<std::int64_t> found() && {
    std::ranges::sort(found_);
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    return std::move(found_);
  }

 private:
  bool walked_enough() const {
    return walked_ >= most_walked ||
           static_cast<double>(screening_.layer_.shares_added()) > screening_.most_shares_;
  }

  void look_at(std::int64_t k) {
    ++screening_.cells_seen_;
    const double top = screening_.upper(k);
    if (top < least_ || top >= most_ || top <= 0) return;
    if (top > screening_.lower(k - 1) && top > screening_.lower(k + 1)) found_.push_back(k);
  }

  const SparseScreening& screening_;
  double least_, most_;
  std::vector<std::int64_t> found_;
  std::int64_t walked_ = 0;
};

std::optional<std::vector<std::int64_t>> SparseScreening::candidates(double least, double most,
                                                                     std::size_t limit) const {
  Search search(*this, least, most);
  const std::int64_t groups = layer_.groups();
  const CellRange left = left_end(), right = right_end();
  // The cells before and behind the gaps on either side of a group.
  const auto before = [&](std::int64_t g) {
    return g == 0 ? left.end - 1 : layer_.group(g - 1).end - 1;
  };
  const auto behind = [&](std::int64_t g) {
    return g + 1 == groups ? right.begin : layer_.group(g + 1).begin;
  };
  search.look_at(left);
  search.look_at(right);
  search.walk(left.end - 1, groups > 0 ? layer_.group(0).begin : right.begin, 1);
  search.walk(right.begin, groups > 0 ? layer_.group(groups - 1).end - 1 : left.end - 1, -1);
  for (std::int64_t g = 0; g < groups && !search.gave_up(limit); ++g) {
    if (highest(g) < least) continue;
    const CellRange cells = layer_.group(g);
    search.look_at(cells);
    search.walk(cells.end - 1, behind(g), 1);
    search.walk(cells.begin, before(g), -1);
  }
  if (search.gave_up(limit)) return std::nullopt;
  return std::move(search).found();
}

}  // namespace bombard
