#include "sim/ranks/shared_search.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "sim/engines/engines.hpp"
#include "tests/sim/ranks/threads_as_ranks.hpp"

namespace bombard::tests {
namespace {

using Cells = std::vector<std::int64_t>;

struct Candidates {
  Cells own;
  bool able;
};

/// The candidates that each rank gets from those of all.
std::vector<Cells> shared(const std::vector<Candidates>& of_ranks) {
  std::vector<Cells> got(of_ranks.size());
  on_each_rank(static_cast<int>(of_ranks.size()), [&](Communicator& communicator) {
    const auto rank = static_cast<std::size_t>(communicator.rank());
    SharedSearch search(communicator, false);
    got[rank] = search.share_candidates(of_ranks[rank].own, of_ranks[rank].able);
  });
  return got;
}

TEST(SharedSearch, EachRankGetsAsManyCandidates) {
  EXPECT_EQ(shared({{{1, 2, 3, 4, 5, 6, 7}, true}, {{}, true}, {{90}, true}}),
            (std::vector<Cells>{{1, 2, 3}, {4, 5, 6}, {7, 90}}));
  EXPECT_EQ(shared({{{}, true}, {{}, true}, {{7, 8, 9}, true}}),
            (std::vector<Cells>{{7}, {8}, {9}}));
  EXPECT_EQ(shared({{{5}, true}, {{}, true}}), (std::vector<Cells>{{5}, {}}));
  EXPECT_EQ(shared({{{}, true}, {{}, true}}), (std::vector<Cells>{{}, {}}));
}

TEST(SharedSearch, ARankThatCannotComputeOthersCellsKeepsItsOwn) {
  EXPECT_EQ(shared({{{1, 2, 3, 4}, true}, {{30, 31, 32}, false}, {{}, true}}),
            (std::vector<Cells>{{1, 2}, {30, 31, 32}, {3, 4}}));
  EXPECT_EQ(shared({{{1, 2}, false}, {{}, false}}), (std::vector<Cells>{{1, 2}, {}}));
}

/// Others who hand some cells over, and know of no higher peak.
class Fake final : public SharedSearch {
 public:
  explicit Fake(Cells handed_over)
      : SharedSearch(Communicator::alone(), false), handed_over_(std::move(handed_over)) {}
  void largest(std::span<double>) override { ++asked; }
  Cells share_candidates(const Cells& own, bool able) override {
    offered.push_back({own, able});
    return able ? handed_over_ : own;
  }
  std::vector<Candidates> offered;
  int asked = 0;

 private:
  Cells handed_over_;
};

// The engine holds the first half of the layer, and the maximum lies far away in the other.
TEST(SharedSearch, AnEngineConfirmsCandidatesOfSharedSearch) {
  const std::vector<Storm> storms{{"one", {{100, 1000}, {3900, 5000}}},
                                  {"two", {{120, 900}, {3902, 4000}}}};
  const EngineEntry& entry = *find_engine("cpu_fast");
  EngineOptions options{.part = whole_layer(4000), .storms = 2, .threads = 1};
  // Too few interactions for the fast way to pay, unless it costs nothing.
  options.speed_of_interactions = 1e-9;
  const std::vector<Maximum> expected = entry.make(options)->apply(storms);
  EXPECT_GT(expected[0].position, 3890);
  options.part = part_of_layer({0, 2000}, 4000);
  for (const bool falls_on_a_layer : {false, true}) {
    Fake others({expected[0].position, expected[1].position});
    options.others = &others;
    const std::unique_ptr<Engine> engine = entry.make(options);
    if (falls_on_a_layer) engine->dense()->begin_with(std::vector<float>(2002, 0.0F));
    const std::vector<Maximum> maxima = engine->apply(storms);
    EXPECT_EQ(others.asked, 2);
    ASSERT_EQ(others.offered.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(others.offered[i].able, !falls_on_a_layer);
      EXPECT_FALSE(others.offered[i].own.empty());
      EXPECT_EQ(maxima[i] == expected[i], !falls_on_a_layer) << i;
    }
  }
}

// In the half that is held every share counts, and not all in the other: their reaches are unknown.
TEST(SharedSearch, AnEngineKeepsItsOwnWhereSharesEndElsewhere) {
  EngineOptions options{.part = part_of_layer({0, 2000}, 40000), .storms = 1, .threads = 1};
  options.rule.threshold = 12000;  // the impact counts in some 7000 cells on either side
  options.speed_of_interactions = 1e-9;
  Fake others({});
  options.others = &others;
  const std::vector<Storm> storms{{"one", {{100, 1000}}}};
  find_engine("cpu_fast")->make(options)->apply(storms);
  ASSERT_EQ(others.offered.size(), 1U);
  EXPECT_FALSE(others.offered[0].own.empty());
  EXPECT_FALSE(others.offered[0].able);
}

}  // namespace
}  // namespace bombard::tests
