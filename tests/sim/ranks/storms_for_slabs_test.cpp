// Which impacts go to which rank, each a thread here.

#include "sim/ranks/storms_for_slabs.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

#include "tests/sim/ranks/threads_as_ranks.hpp"

namespace bombard::tests {
namespace {

constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
constexpr auto highest = std::numeric_limits<std::int64_t>::max();

/// Ranges that overlap; two begin, and two end, with the positions that there are; one has none.
const std::vector<CellRange> needs{{lowest, 100}, {lowest, 250},  {90, 400},
                                   {300, 900},    {850, highest}, {highest, highest}};

std::vector<Storm> storms_of(int impacts) {
  std::mt19937_64 random(5);
  std::vector<Storm> storms(2);
  for (Storm& storm : storms) {
    for (int i = 0; i < impacts; ++i) {
      storm.impacts.push_back({static_cast<std::int64_t>(random() % 1200) - 100,
                               static_cast<std::int32_t>(random() % 1000)});
    }
  }
  for (int i = 0; i < 9; ++i) storms.back().impacts.push_back({90, 7});
  return storms;
}

void expect_own(const StormForSlab& own, const Storm& storm, const CellRange& range) {
  std::vector<Impact> expected;
  for (const Impact& impact : storm.impacts) {
    if (range.contains(impact.position)) expected.push_back(impact);
  }
  EXPECT_EQ(own.storm.impacts, expected);
  EXPECT_EQ(own.whole, extent_of(storm.impacts));
}

// Few, and so many that several threads sort them.
TEST(StormsForSlabs, ARankGetsThoseThatItNeedsInFileOrder) {
  for (const int impacts : {0, 1, 100, 100'000}) {
    const std::vector<Storm> storms = storms_of(impacts);
    on_each_rank(static_cast<int>(needs.size()), [&](Communicator& communicator) {
      const Sharing sharing{needs, [](const StormExtent&) { return false; }, 3};
      const auto rank = static_cast<std::size_t>(communicator.rank());
      const std::vector<StormForSlab> own =
          share_storms(communicator, rank == 0 ? storms : std::vector<Storm>(), 2, sharing);
      ASSERT_EQ(own.size(), 2U);
      for (std::size_t i = 0; i < 2; ++i) expect_own(own[i], storms[i], needs[rank]);
    });
  }
}

TEST(StormsForSlabs, AllGetAllOfAStormForAll) {
  const std::vector<Storm> storms = storms_of(100);
  on_each_rank(static_cast<int>(needs.size()), [&](Communicator& communicator) {
    const std::int64_t of_second = extent_of(storms[1].impacts).impacts;
    const Sharing sharing{needs,
                          [=](const StormExtent& whole) { return whole.impacts == of_second; }, 2};
    const bool first = communicator.rank() == 0;
    const std::vector<StormForSlab> own =
        share_storms(communicator, first ? storms : std::vector<Storm>(), 2, sharing);
    expect_own(own[0], storms[0], needs[static_cast<std::size_t>(communicator.rank())]);
    expect_own(own[1], storms[1], {lowest, highest});
  });
}

}  // namespace
}  // namespace bombard::tests
