#include "kernels/convolution/shares_one_by_one.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdlib>

#include "kernels/base/unit_roundoff.hpp"

namespace bombard::cpu {

SharesOneByOne::SharesOneByOne(const RelaxedShares& shares,
                               const std::vector<SparseSource>& sources, std::int64_t now)
    : shares_(shares), now_(now) {
  std::vector<Class> by_bits(64);
  positions_.reserve(sources.size());
  last_of_those_before_.reserve(sources.size());
  for (const SparseSource& source : sources) {
    Class& of = by_bits[std::bit_width(static_cast<std::uint64_t>(source.reach))];
    of.longest = std::max(of.longest, source.reach);
    of.sources.push_back(source);
    positions_.push_back(source.position);
    const std::int64_t last = source.position + source.reach - 1 + relaxations(source);
    last_of_those_before_.push_back(
        last_of_those_before_.empty() ? last : std::max(last_of_those_before_.back(), last));
  }
  for (Class& of : by_bits) {
    if (!of.sources.empty()) classes_.push_back(std::move(of));
  }
  first_of_those_behind_.resize(sources.size());
  for (std::size_t i = sources.size(); i-- > 0;) {
    const SparseSource& source = sources[i];
    const std::int64_t first = source.position - (source.reach - 1) - relaxations(source);
    first_of_those_behind_[i] =
        i + 1 == sources.size() ? first : std::min(first_of_those_behind_[i + 1], first);
  }
}

/// use(begin, end) for sources in a row that may have a share in these cells.
template <class Use>
void SharesOneByOne::for_each_run(const CellRange& cells, Use use) const {
  for (const Class& of : classes_) {
    const std::int64_t farthest = of.longest - 1 + now_;
    const auto begin =
        std::ranges::lower_bound(of.sources, cells.begin - farthest, {}, &SparseSource::position);
    const auto end = std::ranges::lower_bound(begin, of.sources.end(), cells.end + farthest, {},
                                              &SparseSource::position);
    use(begin, end);
  }
}

double SharesOneByOne::share(const SparseSource& source, std::int64_t cell) const {
  const std::int64_t distance = std::abs(cell - source.position), q = relaxations(source);
  if (distance < shares_.near() && distance + q < source.reach) {
    return source.energy * shares_.after(q)[distance + 1];
  }
  return source.energy * shares_.at(distance, q, source.reach);
}

double SharesOneByOne::at(std::int64_t cell) const {
  double sum = 0;
  for_each_run({cell, cell + 1}, [&](auto begin, auto end) {
    for (auto source = begin; source != end; ++source) sum += share(*source, cell);
  });
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

/// What is convex lies below its chord.
double SharesOneByOne::highest(const CellRange& cells) const {
  std::vector<double> sums(static_cast<std::size_t>(cells.count()));
  double first = 0, last = 0;
  for_each_run(cells, [&](auto begin, auto end) {
    for (auto source = begin; source != end; ++source) {
      if (convex(*source, cells)) {
        first += share(*source, cells.begin);
        last += share(*source, cells.end - 1);
        continue;
      }
      for (std::size_t k = 0; k < sums.size(); ++k) {
        sums[k] += share(*source, cells.begin + static_cast<std::int64_t>(k));
      }
    }
  });
  const double slope = sums.size() > 1 ? (last - first) / static_cast<double>(sums.size() - 1) : 0;
  double highest = 0;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    highest = std::max(highest, sums[k] + (first + slope * static_cast<double>(k)));
  }
  // A cell's own value is added up in another order: both are off by a rounding for each source,
  // and the chord by a few.
  const double roundings = 2 * static_cast<double>(positions_.size()) + 16;
  return highest * (1 + roundings * unit_roundoff_binary64);
}

std::int64_t SharesOneByOne::sources_near(const CellRange& cells) const {
  std::int64_t sources = 0;
  for_each_run(cells, [&](auto begin, auto end) { sources += end - begin; });
  return sources;
}

bool SharesOneByOne::meet_in(const CellRange& cells) const {
  const auto behind = static_cast<std::size_t>(std::ranges::lower_bound(positions_, cells.begin) -
                                               positions_.begin());
  if (behind == 0 || behind == positions_.size()) return false;
  return last_of_those_before_[behind - 1] >= first_of_those_behind_[behind];
}

}  // namespace bombard::cpu
