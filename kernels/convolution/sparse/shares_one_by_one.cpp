#include "kernels/convolution/sparse/shares_one_by_one.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <numeric>

#include "kernels/base/stoppable_work.hpp"

namespace bombard::cpu {

SharesOneByOne::SharesOneByOne(const RelaxedShares& shares,
                               const std::vector<SparseSource>& sources, std::int64_t now)
    : shares_(shares), now_(now), sources_(sources), first_of_those_behind_(sources.size()) {
  const auto beside = [&](const SparseSource& source) {
    return source.reach - 1 + relaxations(source);
  };
  for (const SparseSource& source : sources) longest_ = std::max(longest_, source.reach);
  std::transform_inclusive_scan(
      sources.begin(), sources.end(), std::back_inserter(last_of_those_before_),
      [](std::int64_t a, std::int64_t b) { return std::max(a, b); },
      [&](const SparseSource& source) { return source.position + beside(source); });
  std::transform_inclusive_scan(
      sources.rbegin(), sources.rend(), first_of_those_behind_.rbegin(),
      [](std::int64_t a, std::int64_t b) { return std::min(a, b); },
      [&](const SparseSource& source) { return source.position - beside(source); });
}

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
  constexpr std::size_t many = 1 << 10;  // these take 0.1 ms
  if (sources.size() > many) StoppableWork::may_stop();
  shares_.count(static_cast<std::int64_t>(sources.size()) / tabulated_for_a_share);
  double sum = 0;
  for (const SparseSource& source : sources) sum += share(source, cell);
  return sum;
}

double SharesOneByOne::highest(const CellRange& cells) const {
  double highest = 0;
  for (std::int64_t k = cells.begin; k < cells.end; ++k) highest = std::max(highest, at(k));
  return highest;
}

bool SharesOneByOne::may_have_peaks(const CellRange& cells) const {
  const std::int64_t near = now_ + 2;  // a cell next to them is compared with theirs
  const auto found =
      std::ranges::lower_bound(sources_, cells.begin - near, {}, &SparseSource::position);
  const bool some_are_near = found != sources_.end() && found->position < cells.end + near;
  return some_are_near || meet_in(cells);
}

bool SharesOneByOne::meet_in(const CellRange& cells) const {
  const auto found = std::ranges::lower_bound(sources_, cells.begin, {}, &SparseSource::position);
  const auto behind = static_cast<std::size_t>(found - sources_.begin());
  if (behind == 0 || behind == sources_.size()) return false;
  return last_of_those_before_[behind - 1] >= first_of_those_behind_[behind];
}

}  // namespace bombard::cpu
