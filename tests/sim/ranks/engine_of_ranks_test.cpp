// Engines in several ranks, which are threads here (on a GPU they share it), against one process.

#include "sim/ranks/engine_of_ranks.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "bombard/errors.hpp"
#include "tests/inputs/small_machine.hpp"
#include "tests/sim/engines/generated.hpp"
#include "tests/sim/engines/layer_of.hpp"
#include "tests/sim/ranks/threads_as_ranks.hpp"
#include "tests/text.hpp"

namespace bombard::tests {
namespace {

TEST(SlabOfRank, EveryCellHasOneOwner) {
  for (const std::int64_t cells : {1, 2, 6, 7, 8, 100}) {
    std::int64_t end = 0;
    for (int rank = 0; rank < 7; ++rank) {
      const CellRange slab = slab_of_rank(rank, 7, cells);
      EXPECT_EQ(slab.begin, end);
      EXPECT_GE(slab.count(), cells / 7);
      EXPECT_LE(slab.count(), cells / 7 + 1);
      end = slab.end;
    }
    EXPECT_EQ(end, cells);
  }
  EXPECT_EQ(slab_of_rank(1023, 1024, std::int64_t{1} << 56).end, std::int64_t{1} << 56);
}

struct Case : Bombardment {
  int ranks;
};

EngineOptions options_for(const Case& of) {
  EngineOptions options = ::options_for(of);
  options.threads = 1;
  return options;
}

/// Impacts anywhere, outside the layer, and on and beside the borders of slabs; some of the cases
/// have shares that end.
Case generated(std::uint64_t seed, std::int64_t most_cells = 3000) {
  Random random(seed);
  const std::int64_t cells = 1 + below(random, seed % 4 == 0 ? 10 : most_cells);
  Case made{{cells, {}}, static_cast<int>(2 + below(random, 6))};
  if (seed % 3 == 0) made.rule = {.threshold = 30, .edition = 1};
  for (std::int64_t storms = 1 + below(random, 4); storms > 0; --storms) {
    made.storms.push_back(
        {"generated", random_impacts(random, below(random, 80), -10, cells + 10)});
    for (Impact& impact : made.storms.back().impacts) {
      const auto rank = static_cast<int>(below(random, made.ranks));
      if (below(random, 3) == 0) {
        impact.position = slab_of_rank(rank, made.ranks, cells).end + below(random, 5) - 2;
      }
      if (below(random, 9) == 0) impact.energy = -impact.energy / 1000;
    }
  }
  return made;
}

std::vector<Maximum> applied(EngineOfRanks& engine, const std::vector<Storm>& storms) {
  std::vector<Maximum> maxima;
  for (const Storm& storm : storms) maxima.push_back(engine.apply({storm.impacts}));
  return maxima;
}

/// What each of the ranks throws where `failing` is the first that fails: "input: " or "cannot: ",
/// and the message.
std::vector<std::string> what_all_throw(int ranks, int failing, const std::string& kind,
                                        const std::string& message) {
  const std::string of_others = kind + "rank " + std::to_string(failing) + " on here: " + message;
  std::vector<std::string> thrown(static_cast<std::size_t>(ranks), of_others);
  thrown[static_cast<std::size_t>(failing)] = kind + message;
  return thrown;
}

class EngineInRanks : public EngineTest {
 protected:
  template <class Test>
  static void for_each_case(const Test& test) {
    const bool on_gpu = GetParam().backend.on_gpu;
    for (std::uint64_t seed = 1; seed <= cases(on_gpu ? 20 : 80) && !HasFailure(); ++seed) {
      SCOPED_TRACE(testing::Message() << "seed " << seed);
      test(seed, generated(seed, on_gpu ? 9000 : 3000));
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, EngineInRanks,
                         testing::ValuesIn(first_of_each(engines_under_test())), engine_name);

TEST_P(EngineInRanks, GivesTheRulesDigits) {
  for_each_case([](std::uint64_t seed, const Case& made) {
    const oracle::Result rule = by_the_rule(made);
    with_ranks(made.ranks, [&](Communicator& communicator) {
      EngineOfRanks engine(communicator, *GetParam().entry, options_for(made));
      for (int again = 0; again < 2; ++again) {
        EXPECT_EQ(written(applied(engine, made.storms)), written(rule.peaks));
        if (seed % 2 == 0) {
          EXPECT_EQ(std::get<std::vector<float>>(engine.layer()), rule.layer);
        }
        engine.reset();
      }
    });
  });
}

class EngineInRanksInDouble : public EngineInRanks {};
INSTANTIATE_TEST_SUITE_P(Engines, EngineInRanksInDouble,
                         testing::ValuesIn(first_of_each(engines_under_test(Precision::binary64))),
                         engine_name);

// The sums are those of cpu_double in one process, within their error. Some of the cases have
// impacts far outside, for which the exponential sum is longer.
TEST_P(EngineInRanksInDouble, GivesTheSumsOfOneProcess) {
  constexpr double error = 5e-12;
  for_each_case([](std::uint64_t seed, Case made) {
    for (Storm& storm : made.storms) {
      for (std::size_t i = 0; i < storm.impacts.size(); ++i) {
        Impact& impact = storm.impacts[i];
        impact.energy = std::abs(impact.energy) + 1;  // so that a share's magnitude is its value
        if (seed % 5 == 0 && i % 7 == 0) impact.position *= 40;
      }
    }
    const auto alone = find_engine("cpu_double")->make(options_for(made));
    const std::vector<Maximum> expected = maxima_of(*alone, made.storms);
    const std::vector<double> right = layer_in_double_of(*alone);
    with_ranks(made.ranks, [&](Communicator& communicator) {
      EngineOfRanks engine(communicator, *GetParam().entry, options_for(made));
      const std::vector<Maximum> maxima = applied(engine, made.storms);
      const auto layer = std::get<std::vector<double>>(engine.layer());
      ASSERT_EQ(maxima.size(), expected.size());
      for (std::size_t i = 0; i < maxima.size(); ++i) {
        EXPECT_NEAR(maxima[i].value, expected[i].value, error * expected[i].value);
      }
      ASSERT_EQ(layer.size(), right.size());
      for (std::size_t k = 0; k < layer.size(); ++k) {
        ASSERT_NEAR(layer[k], right[k], error * right[k]) << k;
      }
    });
  });
}

TEST(Ranks, BeginWithALayer) {
  Case made = generated(7);
  made.cells = 3000;  // the last ranks do not hold the first cells
  std::vector<float> layer(static_cast<std::size_t>(made.cells));
  for (std::size_t k = 0; k < layer.size(); ++k) layer[k] = static_cast<float>(k * 7919 % 1009);
  const EngineEntry& entry = *find_engine("cpu_direct");
  const auto alone = entry.make(options_for(made));
  alone->begin_with(layer);
  const std::vector<Maximum> expected = maxima_of(*alone, made.storms);
  with_ranks(3, [&](Communicator& communicator) {
    EngineOfRanks engine(communicator, entry, options_for(made));
    engine.begin_with(layer);
    EXPECT_EQ(applied(engine, made.storms), expected);
    EXPECT_EQ(engine.layer(), alone->layer());
  });
}

TEST(Ranks, GiveAndTakeTheLayerInPieces) {
  const EngineEntry& entry = *find_engine("cpu_direct");
  // Rank 0 gives its cells at once, each of the others in one piece or in two.
  for (const auto& [cells, ranks] :
       {std::pair(std::int64_t{1001}, 4), {2 * EngineOfRanks::most_cells_of_piece + 4001, 2}}) {
    const Case made{{cells, {{"one", {{cells - 100, 1000}}}}}, ranks};
    const auto alone = entry.make(options_for(made));
    maxima_of(*alone, made.storms);
    with_ranks(made.ranks, [&](Communicator& communicator) {
      EngineOfRanks engine(communicator, entry, options_for(made));
      applied(engine, made.storms);
      std::vector<float> joined;
      int pieces = 0;
      engine.give_layer([&](const Layer& piece) {
        const auto& of_piece = std::get<std::vector<float>>(piece);
        joined.insert(joined.end(), of_piece.begin(), of_piece.end());
        ++pieces;
      });
      EXPECT_TRUE(joined == layer_of(*alone));
      EXPECT_EQ(pieces, made.ranks == 4 ? 4 : 3);
      EXPECT_TRUE(engine.layer() == alone->layer());
      engine.reset();
      const Layer begun = alone->layer();
      engine.begin_with(view_of(begun));
      EXPECT_TRUE(engine.layer() == alone->layer());
    });
  }
}

TEST(Ranks, ShowCellsAndPeaksOfTheWholeLayer) {
  const Case made{{1000, {{"one", {{100, 1000}, {700, 500}}}}}, 3};
  const auto alone = find_engine("cpu_direct")->make(options_for(made));
  maxima_of(*alone, made.storms);
  const CellRange cells{330, 340};
  with_ranks(made.ranks, [&](Communicator& communicator) {
    EngineOfRanks engine(communicator, *find_engine("cpu_fast"), options_for(made));
    applied(engine, made.storms);
    EXPECT_EQ(engine.values_at({&cells, 1}), alone->values_at({&cells, 1}));
    EXPECT_EQ(engine.highest_peaks(5), alone->highest_peaks(5));
  });
}

TEST(Ranks, AllLearnThatTheLayerCannotBeTaken) {
  const Case made = generated(7);
  for (const int of_piece : {1, 2, 4}) {
    const auto thrown = thrown_by_ranks(4, [&](Communicator& communicator) {
      EngineOfRanks engine(communicator, *find_engine("cpu_direct"), options_for(made));
      int pieces = 0;
      engine.give_layer([&](const Layer&) {
        if (++pieces == of_piece) throw InputError("disk full");
      });
    });
    EXPECT_EQ(thrown, what_all_throw(4, 0, "input: ", "disk full"));
  }
}

// Too many impacts for any rank to screen them: each of them goes direct by itself.
TEST(Ranks, GiveUpEachByItself) {
  Case made{{1500, {{"few", {{100, 1000000}}}, {"many", {}}, {"last", {{1250, 2000000}}}}}, 3};
  made.storms[1].impacts.assign(60'000, {700, 500});
  const auto alone = find_engine("cpu_direct")->make(options_for(made));
  const std::vector<Maximum> expected = maxima_of(*alone, made.storms);
  with_ranks(made.ranks, [&](Communicator& communicator) {
    EngineOfRanks engine(communicator, *find_engine("cpu_fast"), options_for(made));
    EXPECT_EQ(applied(engine, made.storms), expected);
    EXPECT_TRUE(engine.evidence()->direct);
  });
}

// The last rank has no peak at first. Of the impact of the second storm not every share counts for
// the first ranks: these go direct.
TEST(Ranks, AddUpTheirEvidence) {
  const Case made{{3000,
                   {{"both", {{500, 1000000}, {1500, 800000}}}, {"near the end", {{2900, 100}}}},
                   {.threshold = 2500}},
                  3};
  const EngineEntry& entry = *find_engine("cpu_fast");
  std::vector<Evidence> expected(2);
  for (int rank = 0; rank < made.ranks; ++rank) {
    EngineOptions options = options_for(made);
    options.part = part_of_layer(slab_of_rank(rank, made.ranks, made.cells), made.cells);
    EngineChain alone(entry, options);
    for (std::size_t i = 0; i < 2; ++i) {
      alone.apply({made.storms[i].impacts});
      const Evidence own = alone.evidence().value();
      EXPECT_EQ(own.direct, i == 1 && rank < 2);
      expected[i].candidates += own.candidates;
      expected[i].bound = std::max(expected[i].bound, own.bound);
    }
  }
  with_ranks(made.ranks, [&](Communicator& communicator) {
    EngineOfRanks engine(communicator, entry, options_for(made));
    for (std::size_t i = 0; i < 2; ++i) {
      engine.apply({made.storms[i].impacts});
      EXPECT_EQ(engine.evidence()->direct, i == 1);
      EXPECT_EQ(engine.evidence()->candidates, expected[i].candidates);
      EXPECT_EQ(engine.evidence()->bound, expected[i].bound);
    }
    const EngineOfRanks direct(communicator, *find_engine("cpu_direct"), options_for(made));
    EXPECT_FALSE(direct.evidence());
  });
}

TEST(Ranks, AskForTheMemoryOfAllOfAMachine) {
  const Case made{{4'000'000, {}}, 4};
  const EngineEntry& entry = *find_engine("cpu_double");
  EngineOptions of_rank = options_for(made);
  of_rank.part = part_of_layer(slab_of_rank(0, 4, made.cells), made.cells);
  const std::int64_t of_two = entry.bytes(of_rank) / 1024 * 2;
  const SmallMachine machine(testing::TempDir() + "/bombard_ranks_" + std::to_string(::getpid()),
                             std::to_string(of_two) + " kB");
  for (const std::string& thrown : thrown_by_ranks(4, [&](Communicator& communicator) {
         const EngineOfRanks engine(communicator, entry, options_for(made));
       })) {
    EXPECT_TRUE(contains(thrown, "cpu_double in 4 ranks of a machine needs "));
  }
}

TEST(Ranks, TellWhereTheyRun) {
  const Case made{{2, {}}, 3};
  with_ranks(made.ranks, [&](Communicator& communicator) {
    const EngineOfRanks engine(communicator, *find_engine("cpu_direct"), options_for(made));
    EXPECT_EQ(engine.places(),
              (std::vector<std::string>{"rank 0 of 3 on here: cells 0 to 0, 1 thread",
                                        "rank 1 of 3 on here: cells 1 to 1, 2 threads",
                                        "rank 2 of 3 on here: no cells, 1 thread"}));
  });
}

TEST(Ranks, AllLearnThatOneFailed) {
  const Case made{{64, {{"one", {{50, 1000}}}}}, 4};
  for (const int failing : {0, 1, 3}) {
    const auto thrown = thrown_on_each_rank(made.ranks, [&](Communicator& communicator) {
      if (communicator.rank() == failing) throw CannotRun("no threads left");
      communicator.meet();
      ADD_FAILURE() << "goes on without a rank";
    });
    EXPECT_EQ(thrown, what_all_throw(4, failing, "cannot: ", "no threads left"));
  }
}

// The first of those that fail counts, whatever the others do until they learn of it.
TEST(Ranks, AllThrowTheSameWhereSeveralFail) {
  const std::function<void(Communicator&)> works[] = {
      [](Communicator&) {}, [](Communicator& communicator) { communicator.meet(); },
      [](Communicator& communicator) { gather(communicator, communicator.rank()); },
      [](Communicator& communicator) {
        int number = 0;
        broadcast(communicator, number);
      }};
  for (const auto& work : works) {
    const auto thrown = thrown_on_each_rank(4, [&](Communicator& communicator) {
      if (communicator.rank() == 1) throw InputError("no file");
      if (communicator.rank() == 3) throw CannotRun("no memory");
      work(communicator);
    });
    EXPECT_EQ(thrown, what_all_throw(4, 1, "input: ", "no file"));
  }
}

}  // namespace
}  // namespace bombard::tests
