#include "kernels/convolution/sparse/shares_one_by_one.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdlib>

#include "kernels/base/unit_roundoff.hpp"
#include "kernels/convolution/sparse/chord.hpp"

namespace bombard::cpu {

SharesOneByOne::SharesOneByOne(const RelaxedShares& shares,
                               const std::vector<SparseSource>& sources, std::int64_t now)
    : shares_(shares), now_(now) {
  find_classes(sources);
  if (!classes_.empty() && classes_.front().longest < reaches_everywhere) find_ends(sources);
}

void SharesOneByOne::find_classes(const std::vector<SparseSource>& sources) {
  const auto bits = [](const SparseSource& source) {
    return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(source.reach)));
  };
  std::array<std::size_t, 64> counts{};
  std::array<std::int64_t, 64> longest{};
  for (const SparseSource& source : sources) {
    ++counts[bits(source)];
    longest[bits(source)] = std::max(longest[bits(source)], source.reach);
  }
  std::array<std::size_t, 64> next{};
  std::size_t begin = 0;
  if (std::ranges::count(counts, sources.size()) == 0) by_class_.resize(sources.size());
  const std::span<const SparseSource> all = by_class_.empty() ? sources : by_class_;
  for (std::size_t of = 0; of < counts.size(); ++of) {
    next[of] = begin;
    if (counts[of] > 0) classes_.push_back({longest[of], all.subspan(begin, counts[of])});
    begin += counts[of];
  }
  if (by_class_.empty()) return;
  for (const SparseSource& source : sources) by_class_[next[bits(source)]++] = source;
}

void SharesOneByOne::find_ends(const std::vector<SparseSource>& sources) {
  std::int64_t last = -reaches_everywhere;
  for (const SparseSource& source : sources) {
    positions_.push_back(source.position);
    last = std::max(last, source.position + source.reach - 1 + relaxations(source));
    last_of_those_before_.push_back(last);
  }
  first_of_those_behind_.resize(sources.size());
  std::int64_t first = reaches_everywhere;
  for (std::size_t i = sources.size(); i-- > 0;) {
    const SparseSource& source = sources[i];
    first = std::min(first, source.position - (source.reach - 1) - relaxations(source));
    first_of_those_behind_[i] = first;
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
  Chord chord;
  for_each_run(cells, [&](auto begin, auto end) {
    for (auto source = begin; source != end; ++source) {
      if (convex(*source, cells)) {
        chord.first += share(*source, cells.begin);
        chord.last += share(*source, cells.end - 1);
        continue;
      }
      for (std::size_t k = 0; k < sums.size(); ++k) {
        sums[k] += share(*source, cells.begin + static_cast<std::int64_t>(k));
      }
    }
  });
  // A cell's own value is added up in another order: both are off by a rounding for each source,
  // and the chord by a few.
  double roundings = 16;
  for (const Class& of : classes_) roundings += 2 * static_cast<double>(of.sources.size());
  return highest_on(chord, sums) * (1 + roundings * unit_roundoff_binary64);
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
