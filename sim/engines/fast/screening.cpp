#include "sim/engines/fast/screening.hpp"

#include <algorithm>
#include <functional>

namespace bombard {

double Screening::reached_by(std::int64_t count) const {
  if (count >= groups()) return 0;
  std::vector<double> tops;
  for (std::int64_t g = 0; g < groups(); ++g) tops.push_back(highest(g));
  std::nth_element(tops.begin(), tops.begin() + count, tops.end(), std::greater<>());
  return std::max(tops[static_cast<std::size_t>(count)], 0.0);
}

LayerScreening::LayerScreening(const cpu::ConvolvedLayer& layer, double factor, double absolute,
                               const CellRange& own)
    : layer_(layer),
      factor_(factor),
      absolute_(absolute),
      own_(own.common({1, layer.cells() - 1})) {}

double LayerScreening::lower(std::int64_t cell) const {
  const double value = layer_.value(cell);
  return value - (factor_ * value + absolute_ + layer_.uncertainty(cell));
}

double LayerScreening::upper(std::int64_t cell) const {
  const double value = layer_.value(cell);
  return value + (factor_ * value + absolute_ + layer_.uncertainty(cell));
}

double LayerScreening::highest(std::int64_t group) const {
  const double highest = layer_.highest(group);
  return highest + factor_ * highest + absolute_;
}

CellRange LayerScreening::cells_of(std::int64_t group) const {
  return own_.common({layer_.group_begin(group), layer_.group_begin(group + 1)});
}

bool LayerScreening::may_be_peak(std::int64_t cell) const {
  const double top = upper(cell);
  return top > 0 && top > lower(cell - 1) && top > lower(cell + 1);
}

std::optional<std::int64_t> LayerScreening::best_peak() const {
  std::optional<std::int64_t> best;
  double value = absolute_;
  const auto search = [&](std::int64_t group) {
    const CellRange cells = cells_of(group);
    for (std::int64_t k = cells.begin; k < cells.end; ++k) {
      const double here = layer_.value(k);
      const bool better = here > value || (best && here == value && k < *best);
      if (better && here > layer_.value(k - 1) && here > layer_.value(k + 1)) {
        best = k;
        value = here;
      }
    }
  };
  // The most promising group first: after it hardly another one can matter.
  std::int64_t first = 0;
  for (std::int64_t g = 1; g < layer_.groups(); ++g) {
    if (layer_.highest(g) > layer_.highest(first)) first = g;
  }
  search(first);
  for (std::int64_t g = 0; g < layer_.groups(); ++g) {
    if (highest(g) >= value) search(g);
  }
  return best;
}

std::optional<std::vector<std::int64_t>> LayerScreening::candidates(double least, double most,
                                                                    std::size_t limit) const {
  std::vector<std::int64_t> found;
  for (std::int64_t g = 0; g < layer_.groups(); ++g) {
    if (highest(g) < least) continue;
    const CellRange cells = cells_of(g);
    for (std::int64_t k = cells.begin; k < cells.end; ++k) {
      const double top = upper(k);
      if (top < least || top >= most || !may_be_peak(k)) continue;
      found.push_back(k);
      if (found.size() > limit) return std::nullopt;
    }
  }
  return found;
}

}  // namespace bombard
