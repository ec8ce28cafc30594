#include "sim/ranks/shared_search.hpp"

#include <algorithm>
#include <utility>

#include "kernels/layer/cell_range.hpp"
#include "sim/ranks/slab.hpp"

namespace bombard {

namespace {

// The number that a rank tells when it keeps its candidates.
constexpr std::int64_t keeps_its_own = -1;

/// Ranges of the candidates of all ranks that share theirs, counted through: those that each rank
/// had, and those that it is to confirm.
using Parts = std::vector<CellRange>;
std::pair<Parts, Parts> shares_of(std::span<const std::int64_t> counts) {
  Parts had, gets;
  std::int64_t all = 0;
  int able = 0;
  for (const std::int64_t count : counts) {
    const bool shares_them = count != keeps_its_own;
    had.push_back({all, all + (shares_them ? count : 0)});
    all = had.back().end;
    able += shares_them;
  }
  int before = 0;
  for (const std::int64_t count : counts) {
    gets.push_back(count == keeps_its_own ? CellRange{} : slab_of_rank(before++, able, all));
  }
  return {had, gets};
}

/// The cells of `all` that are in both, as a part of it; none where they are apart.
template <class Element>
std::span<Element> common_part(std::span<Element> all, const CellRange& range,
                               const CellRange& other) {
  const CellRange common = range.common(other);
  return common.count() > 0 ? slice(all, common.counted_from(range.begin)) : std::span<Element>();
}

}  // namespace

void SharedSearch::largest(std::span<double> values) {
  add_up(communicator_, values, [](double a, double b) { return std::max(a, b); });
}

std::vector<std::int64_t> SharedSearch::share_candidates(const std::vector<std::int64_t>& own,
                                                         bool able) {
  const auto rank = static_cast<std::size_t>(communicator_.rank());
  const std::vector<std::int64_t> counts =
      gather(communicator_, able ? static_cast<std::int64_t>(own.size()) : keeps_its_own);
  const auto [had, gets] = shares_of(counts);

  std::vector<std::int64_t> received(static_cast<std::size_t>(gets[rank].count()));
  std::vector<std::span<const std::int64_t>> to;
  std::vector<std::span<std::int64_t>> from;
  for (std::size_t other = 0; other < counts.size(); ++other) {
    to.push_back(common_part(std::span(own), had[rank], gets[other]));
    from.push_back(common_part(std::span(received), gets[rank], had[other]));
  }
  exchange(communicator_, to, from);
  return able ? received : own;
}

void SharedSearch::say_nothing(std::size_t storms) {
  std::vector<double> nothing(storms, 0);
  if (on_device_) return largest(nothing);
  for (double& of_storm : nothing) {
    largest({&of_storm, 1});
    share_candidates({}, false);
  }
}

}  // namespace bombard
