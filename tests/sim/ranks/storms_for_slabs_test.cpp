// Which impacts go to which rank, each a thread here.

#include "sim/ranks/storms_for_slabs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "bombard/errors.hpp"
#include "inputs/storms/storm_npy.hpp"
#include "inputs/storms/storm_text.hpp"
#include "tests/inputs/temporary_directory.hpp"
#include "tests/sim/ranks/threads_as_ranks.hpp"

namespace bombard::tests {
namespace {

constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
constexpr auto highest = std::numeric_limits<std::int64_t>::max();

constexpr std::int64_t cells = 1000;

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

void expect_own(const StormsForSlab& shared, std::size_t i, const Storm& storm,
                const CellRange& range) {
  std::vector<Impact> expected;
  for (const Impact& impact : storm.impacts) {
    if (range.contains(impact.position)) expected.push_back(impact);
  }
  EXPECT_EQ(shared.storms.at(i).impacts, expected);
  EXPECT_EQ(shared.whole.at(i).extent, extent_of(storm.impacts));
  EXPECT_EQ(shared.whole.at(i).impacts, static_cast<std::int64_t>(storm.impacts.size()));
  EXPECT_EQ(shared.whole.at(i).outside,
            std::ranges::count_if(storm.impacts, [](const Impact& impact) {
              return impact.position < 0 || impact.position >= cells;
            }));
}

// Few impacts, and enough for several threads to sort them.
TEST(StormsForSlabs, ARankGetsThoseThatItNeedsInFileOrder) {
  for (const int impacts : {0, 1, 100, 100'000}) {
    const std::vector<Storm> storms = storms_of(impacts);
    on_each_rank(static_cast<int>(needs.size()), [&](Communicator& communicator) {
      const Sharing sharing{cells, needs, [](const StormExtent&) { return false; }, 3};
      const auto rank = static_cast<std::size_t>(communicator.rank());
      const StormsForSlab own =
          share_storms(communicator, rank == 0 ? storms : std::vector<Storm>(), {}, 2, sharing);
      ASSERT_EQ(own.storms.size(), 2U);
      for (std::size_t i = 0; i < 2; ++i) expect_own(own, i, storms[i], needs[rank]);
    });
  }
}

TEST(StormsForSlabs, AllGetAllOfAStormForAll) {
  const std::vector<Storm> storms = storms_of(100);
  on_each_rank(static_cast<int>(needs.size()), [&](Communicator& communicator) {
    const std::int64_t of_second = extent_of(storms[1].impacts).impacts;
    const Sharing sharing{cells, needs,
                          [=](const StormExtent& whole) { return whole.impacts == of_second; }, 2};
    const bool first = communicator.rank() == 0;
    const StormsForSlab own =
        share_storms(communicator, first ? storms : std::vector<Storm>(), {}, 2, sharing);
    expect_own(own, 0, storms[0], needs[static_cast<std::size_t>(communicator.rank())]);
    expect_own(own, 1, storms[1], {lowest, highest});
  });
}

class StormsFromFiles : public TemporaryDirectory {
 protected:
  /// The impacts that the ranks get from these files, which rank 0 names.
  void expect_shared(const std::vector<std::string>& files, const std::vector<Storm>& storms,
                     bool for_all) {
    on_each_rank(static_cast<int>(needs.size()), [&](Communicator& communicator) {
      const Sharing sharing{cells, needs, [=](const StormExtent&) { return for_all; }, 2};
      const auto rank = static_cast<std::size_t>(communicator.rank());
      const auto count = static_cast<std::int64_t>(files.size());
      const StormsForSlab own =
          rank == 0
              ? share_storms(communicator, std::vector<Storm>(files.size()), files, count, sharing)
              : share_storms(communicator, {}, {}, count, sharing);
      ASSERT_EQ(own.storms.size(), storms.size());
      for (std::size_t i = 0; i < own.storms.size(); ++i) {
        expect_own(own, i, storms[i], for_all ? CellRange{lowest, highest} : needs[rank]);
      }
    });
  }
};

TEST_F(StormsFromFiles, EachRankReadsAPart) {
  const std::vector<Storm> storms = storms_of(1000);
  write_storm(storms[0], path("0.txt"));
  write_storm_npy(storms[1], path("1.npy"));
  expect_shared({path("0.txt"), path("1.npy")}, storms, false);
  expect_shared({path("0.txt"), path("1.npy")}, storms, true);
}

TEST_F(StormsFromFiles, RankZeroReadsWhatIsLaidOutInAnotherWay) {
  const std::vector<Storm> storms{{"", {{400, 1}, {99, -2}, {1100, 3}}}, {"", {}}};
  const std::vector<std::string> files{written("0.txt", "3\n400 1\n99\n-2\n1100  3"),
                                       written("1.txt", "0\n")};
  expect_shared(files, storms, false);
}

TEST_F(StormsFromFiles, RankZeroTellsWhatIsWrong) {
  const auto told = [&](const std::string& file) {
    const auto thrown = thrown_on_each_rank(3, [&](Communicator& communicator) {
      const Sharing sharing{cells,
                            {{lowest, 10}, {10, 20}, {20, highest}},
                            [](const StormExtent&) { return false; },
                            1};
      const std::vector<std::string> files{file};
      share_storms(communicator, {}, communicator.is_first() ? files : std::vector<std::string>(),
                   1, sharing);
    });
    const std::string input = "input: ";
    for (const int other : {1, 2}) {
      EXPECT_TRUE(thrown[static_cast<std::size_t>(other)].starts_with(input));
    }
    return rejection([&] { throw InputError(thrown[0].substr(input.size())); });
  };
  EXPECT_EQ(told(written("a.txt", "4\n1 1\n2 2\n3 x\n4 4\n")),
            "a.txt:4: energy \"x\" is not an integer");
  // Each part looks well.
  EXPECT_NE(told(written("a.txt", "3\n1 1\n2 2\n3 3\n4 4\n")).find("a.txt:"), std::string::npos);
  EXPECT_NE(told(written("a.txt", "9\n1 1\n2 2\n3 3\n4 4\n")).find("a.txt:"), std::string::npos);
  EXPECT_NE(told(path("none.txt")).find("none.txt:"), std::string::npos);
}

}  // namespace
}  // namespace bombard::tests
