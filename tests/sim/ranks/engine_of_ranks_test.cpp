// Engines in several ranks, which are threads here (on a GPU they share it), against one process.

#include "sim/ranks/engine_of_ranks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "bombard/errors.hpp"
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

/// The whole layer, on rank 0.
Layer layer_of_ranks(EngineOfRanks& engine) {
  std::optional<Layer> whole;
  engine.give_layer([&](Layer piece) {
    if (whole) append(*whole, piece);
    if (!whole) whole = std::move(piece);
  });
  return *whole;
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
    const bool on_gpu = GetParam().entry->on_device;
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
        EXPECT_EQ(written(maxima_of(engine, made.storms)), written(rule.peaks));
        if (seed % 2 == 0) {
          EXPECT_EQ(std::get<std::vector<float>>(layer_of_ranks(engine)), rule.layer);
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
    const std::vector<double> right = layer_of<double>(*alone);
    with_ranks(made.ranks, [&](Communicator& communicator) {
      EngineOfRanks engine(communicator, *GetParam().entry, options_for(made));
      const std::vector<Maximum> maxima = maxima_of(engine, made.storms);
      const auto layer = std::get<std::vector<double>>(layer_of_ranks(engine));
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
    EXPECT_EQ(maxima_of(engine, made.storms), expected);
    EXPECT_EQ(layer_of_ranks(engine), alone->layer());
  });
}

TEST(Ranks, GiveNoPieceWithoutCells) {
  const Case made{{2, {{"one", {{1, 1000}}}}}, 3};
  with_ranks(made.ranks, [&](Communicator& communicator) {
    EngineOfRanks engine(communicator, *find_engine("cpu_direct"), options_for(made));
    int pieces = 0;
    engine.give_layer([&](const Layer&) { ++pieces; });
    EXPECT_EQ(pieces, 2);
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
    EXPECT_EQ(maxima_of(engine, made.storms), expected);
  });
}

// Of the impact of the second storm not every share counts for the first rank.
TEST(Ranks, TellTheFirstRanksEvidence) {
  const Case made{{3000,
                   {{"both", {{500, 1000000}, {1500, 800000}}}, {"near the end", {{2900, 100}}}},
                   {.threshold = 2500}},
                  3};
  with_ranks(made.ranks, [&](Communicator& communicator) {
    EngineOfRanks engine(communicator, *find_engine("cpu_fast"), options_for(made));
    for (const Storm& storm : made.storms) {
      engine.apply({storm.impacts});
      EXPECT_EQ(engine.evidence()->direct, &storm == &made.storms.back());
    }
    const EngineOfRanks direct(communicator, *find_engine("cpu_direct"), options_for(made));
    EXPECT_FALSE(direct.evidence());
  });
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

// The others learn of the first of them, whatever they do until then.
TEST(Ranks, AllThrowWhereSeveralFail) {
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
    std::vector<std::string> expected = what_all_throw(4, 1, "input: ", "no file");
    expected[3] = "cannot: no memory";
    EXPECT_EQ(thrown, expected);
  }
}

}  // namespace
}  // namespace bombard::tests
