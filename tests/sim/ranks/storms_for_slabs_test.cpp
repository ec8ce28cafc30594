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

/// Shares storms that rank 0 has, or their files; this rank gets the impacts at some positions, or
/// all where the storm has this number of impacts with energy.
void expect_shared(Communicator& communicator, const std::vector<Storm>& storms,
                   const std::vector<std::string>& files, std::int64_t for_all = -1) {
  const Sharing sharing{cells, needs,
                        [=](const StormExtent& whole) { return whole.impacts == for_all; }, 3};
  const bool first = communicator.is_first();
  const std::vector<Storm> without_impacts(storms.size());
  std::vector<Storm> received;
  const std::vector<WholeStorm> whole = share_storms(
      communicator, first ? (files.empty() ? storms : without_impacts) : std::vector<Storm>(),
      first ? files : std::vector<std::string>(), std::ssize(storms), sharing, received);
  ASSERT_EQ(received.size(), storms.size());
  for (std::size_t i = 0; i < storms.size(); ++i) {
    const std::vector<Impact>& all = storms[i].impacts;
    const CellRange range = whole.at(i).extent.impacts == for_all
                                ? CellRange{lowest, highest}
                                : needs[static_cast<std::size_t>(communicator.rank())];
    std::vector<Impact> expected;
    std::int64_t outside = 0;
    for (const Impact& impact : all) {
      if (range.contains(impact.position)) expected.push_back(impact);
      outside += impact.position < 0 || impact.position >= cells;
    }
    EXPECT_EQ(received[i].impacts, expected);
    EXPECT_EQ(whole[i], (WholeStorm{extent_of(all), std::ssize(all), outside}));
  }
}

void expect_shared_by_all(const std::vector<Storm>& storms,
                          const std::vector<std::string>& files = {}, std::int64_t for_all = -1) {
  on_each_rank(static_cast<int>(needs.size()), [&](Communicator& communicator) {
    expect_shared(communicator, storms, files, for_all);
  });
}

// Few impacts, and enough for several threads to sort them.
TEST(StormsForSlabs, ARankGetsThoseThatItNeedsInFileOrder) {
  for (const int impacts : {0, 1, 100, 100'000}) expect_shared_by_all(storms_of(impacts));
}

TEST(StormsForSlabs, AllGetAllOfAStormForAll) {
  const std::vector<Storm> storms = storms_of(100);
  expect_shared_by_all(storms, {}, extent_of(storms[1].impacts).impacts);
}

using StormsFromFiles = TemporaryDirectory;

TEST_F(StormsFromFiles, EachRankReadsAPart) {
  const std::vector<Storm> storms = storms_of(1000);
  write_storm(storms[0], path("0.txt"));
  write_storm_npy(storms[1], path("1.npy"));
  for (const std::int64_t for_all : {std::int64_t{-1}, extent_of(storms[0].impacts).impacts}) {
    expect_shared_by_all(storms, {path("0.txt"), path("1.npy")}, for_all);
  }
}

TEST_F(StormsFromFiles, RankZeroReadsWhatIsLaidOutInAnotherWay) {
  const std::vector<Storm> storms{{"", {{400, 1}, {99, -2}, {1100, 3}}}, {"", {}}};
  expect_shared_by_all(storms,
                       {written("0.txt", "3\n400 1\n99\n-2\n1100  3"), written("1.txt", "0\n")});
}

TEST_F(StormsFromFiles, RankZeroTellsWhatIsWrong) {
  const auto told = [&](const std::string& file) {
    const auto thrown = thrown_on_each_rank(3, [&](Communicator& communicator) {
      const Sharing sharing{cells,
                            {{lowest, 10}, {10, 20}, {20, highest}},
                            [](const StormExtent&) { return false; },
                            1};
      const std::vector<std::string> files{file};
      std::vector<Storm> received;
      share_storms(communicator, {}, communicator.is_first() ? files : std::vector<std::string>(),
                   1, sharing, received);
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
