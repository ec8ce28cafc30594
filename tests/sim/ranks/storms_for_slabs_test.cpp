// Which impacts go to which rank; each rank is a thread here.

#include "sim/ranks/storms_for_slabs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "tests/sim/ranks/threads_as_ranks.hpp"

namespace bombard::tests {
namespace {

constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
constexpr auto highest = std::numeric_limits<std::int64_t>::max();

TEST(StormsForSlabs, ARankGetsThoseThatItNeedsInFileOrder) {
  // Ranges that overlap; two begin, and two end, with the positions that there are; one is empty.
  const std::vector<CellRange> needs{{lowest, 100}, {lowest, 250}, {90, 400}, {850, highest}, {}};
  for (const int impacts : {0, 1, 100, (1 << 20) + 5}) {  // the last ones in two pieces
    std::mt19937_64 random(5);
    std::vector<Impact> all;
    for (int i = 0; i < impacts; ++i) {
      all.push_back({static_cast<std::int64_t>(random() % 1200) - 100, i});
    }
    on_each_rank(static_cast<int>(needs.size()), [&](Communicator& communicator) {
      const CellRange range = needs[static_cast<std::size_t>(communicator.rank())];
      std::vector<Impact> expected;
      std::ranges::copy_if(all, std::back_inserter(expected),
                           [&](const Impact& impact) { return range.contains(impact.position); });
      const auto of_rank_0 =
          communicator.is_first() ? std::span<const Impact>(all) : std::span<const Impact>();
      EXPECT_EQ(impacts_of_slab(communicator, of_rank_0, impacts, range), expected);
    });
  }
}

TEST(StormsForSlabs, FactsAreThoseOfAllImpacts) {
  const Storm storm{"", {{-1, 5}, {0, 0}, {999, -7}, {1000, 3}}};
  EXPECT_EQ(whole_storm(storm, 1000, 2), (WholeStorm{extent_of(storm.impacts), 4, 2}));
  EXPECT_EQ(whole_storm({}, 1000, 2), WholeStorm{});
  EXPECT_EQ(whole_storm({"", {{1000, 3}}}, 1000, 2).outside, 1);
}

}  // namespace
}  // namespace bombard::tests
