#include "kernels/convolution/sparse/shares_one_by_one.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "kernels/base/unit_roundoff.hpp"

namespace bombard::cpu {

SharesOneByOne::SharesOneByOne(const RelaxedShares& shares,
                               const std::vector<SparseSource>& sources, std::int64_t now)
    : shares_(shares), now_(now), sources_(sources) {
  bool any_ends = false;
  for (const SparseSource& source : sources) {
    longest_ = std::max(longest_, source.reach);
    any_ends |= source.reach < reaches_everywhere;
  }
  if (any_ends) find_ends();
}

void SharesOneByOne::find_ends() {
  std::int64_t last = -reaches_everywhere;
  for (const SparseSource& source : sources_) {
    last = std::max(last, source.position + source.reach - 1 + relaxations(source));
    last_of_those_before_.push_back(last);
  }
  first_of_those_behind_.resize(sources_.size());
  std::int64_t first = reaches_everywhere;
  for (std::size_t i = sources_.size(); i-- > 0;) {
    const SparseSource& source = sources_[i];
    first = std::min(first, source.position - (source.reach - 1) - relaxations(source));
    first_of_those_behind_[i] = first;
  }
}

/// The sources that may have a share in these cells.
std::span<const SparseSource> SharesOneByOne::near(const CellRange& cells) const {
  const std::int64_t farthest = longest_ - 1 + now_;
  const auto begin =
      std::ranges::lower_bound(sources_, cells.begin - farthest, {}, &SparseSource::position);
  const auto end = std::ranges::lower_bound(begin, sources_.end(), cells.end + farthest, {},
                                            &SparseSource::position);
  return {begin, end};
}

double SharesOneByOne::share(const SparseSource& source, std::int64_t cell) const {
  const std::int64_t distance = std::abs(cell - source.position), q = relaxations(source);
  if (distance - q >= source.reach) return 0;
  if (distance < shares_.near() && distance + q < source.reach) {
    return source.energy * shares_.after(q)[distance + 1];
  }
  return source.energy * shares_.at(distance, q, source.reach);
}

double SharesOneByOne::at(std::int64_t cell) const {
  const std::span<const SparseSource> sources = near({cell, cell + 1});
  shares_.count(static_cast<std::int64_t>(sources.size()) / tabulated_for_a_share);
  double sum = 0;
  for (const SparseSource& source : sources) sum += share(source, cell);
  return sum;
}

/// Whether a source's shares are convex in these cells, and their chord is hardly above them: it
/// lies farther from them than its shares have been relaxed and than they are many, and so do the
/// ends of its reach.
bool SharesOneByOne::convex(const SparseSource& source, const CellRange& cells) const {
  const std::int64_t apart = relaxations(source) + cells.count();
  const CellRange beside{cells.begin - apart, cells.end + apart};
  return !beside.contains(source.position) &&
         !beside.contains(source.position - (source.reach - 1)) &&
         !beside.contains(source.position + (source.reach - 1));
}

/// A convex function lies below its chord.
double SharesOneByOne::highest(const CellRange& cells) const {
  std::vector<double> sums(static_cast<std::size_t>(cells.count()));
  Chord chord{};
  for (const SparseSource& source : near(cells)) {
    if (convex(source, cells)) {
      chord[0] += share(source, cells.begin);
      chord[1] += share(source, cells.end - 1);
      continue;
    }
    for (std::size_t k = 0; k < sums.size(); ++k) {
      sums[k] += share(source, cells.begin + static_cast<std::int64_t>(k));
    }
  }
  // A cell's own value is added up in another order: both are off by a rounding for each source,
  // and the chord by a few.
  const double roundings = 16 + 2 * static_cast<double>(sources_.size());
  return highest_on(chord, sums) * (1 + roundings * unit_roundoff_binary64);
}

std::int64_t SharesOneByOne::sources_near(const CellRange& cells) const {
  return static_cast<std::int64_t>(near(cells).size());
}

bool SharesOneByOne::meet_in(const CellRange& cells) const {
  const auto found = std::ranges::lower_bound(sources_, cells.begin, {}, &SparseSource::position);
  const auto behind = static_cast<std::size_t>(found - sources_.begin());
  if (behind == 0 || behind == sources_.size()) return false;
  return last_of_those_before_[behind - 1] >= first_of_those_behind_[behind];
}

}  // namespace bombard::cpu
