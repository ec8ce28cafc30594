// Engines in several ranks, which are threads here (on a GPU they share it), against one process.

#include "sim/ranks/engine_of_ranks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "bombard/errors.hpp"
#include "sim/ranks/slab.hpp"
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

/// One storm at a time, or all together.
std::vector<Maximum> applied(EngineOfRanks& engine, const std::vector<Storm>& storms,
                             bool together = true) {
  if (together) return engine.apply(storms, std::ssize(storms));
  std::vector<Maximum> maxima;
  for (const Storm& storm : storms) maxima.push_back(engine.apply({&storm, 1}, 1).at(0));
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

/// The engines of this program, each once.
std::vector<EngineUnderTest> each_once(Precision precision) {
  std::vector<EngineUnderTest> engines = engines_under_test(precision);
  const auto same = [](const auto& a, const auto& b) { return a.entry == b.entry; };
  engines.erase(std::unique(engines.begin(), engines.end(), same), engines.end());
  return engines;
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
INSTANTIATE_TEST_SUITE_P(Engines, EngineInRanks, testing::ValuesIn(each_once(Precision::binary32)),
                         engine_name);

TEST_P(EngineInRanks, GivesTheRulesDigits) {
  for_each_case([](std::uint64_t seed, const Case& made) {
    const oracle::Result rule = by_the_rule(made);
    on_each_rank(made.ranks, [&](Communicator& communicator) {
      EngineOfRanks engine(communicator, *GetParam().entry, options_for(made));
      EXPECT_EQ(written(applied(engine, made.storms, seed % 2 == 0)), written(rule.peaks));
      const auto layer = std::get<std::vector<float>>(engine.layer());
      const std::vector<float> uncertainty = engine.layer_uncertainty();
      ASSERT_EQ(layer.size(), communicator.is_first() ? rule.layer.size() : 0);
      for (std::size_t k = 0; k < layer.size(); ++k) {
        ASSERT_LE(std::abs(layer[k] - rule.layer[k]), uncertainty.empty() ? 0 : uncertainty[k])
            << k;
      }
    });
  });
}

class EngineInRanksInDouble : public EngineInRanks {};
INSTANTIATE_TEST_SUITE_P(Engines, EngineInRanksInDouble,
                         testing::ValuesIn(each_once(Precision::binary64)), engine_name);

// The sums are those of cpu_double in one process, within their error. Some of the cases have
// impacts far outside, for which the exponential sum is longer.
TEST_P(EngineInRanksInDouble, GivesTheSumsOfOneProcess) {
  constexpr double error = 5e-12;
  for_each_case([](std::uint64_t seed, Case made) {
    double cuts = 0;  // the shares that the first cells beyond all reaches would have had
    for (Storm& storm : made.storms) {
      for (std::size_t i = 0; i < storm.impacts.size(); ++i) {
        Impact& impact = storm.impacts[i];
        impact.energy = std::abs(impact.energy) + 1;  // so that a share's magnitude is its value
        if (seed % 5 == 0 && i % 7 == 0) impact.position *= 40;
        cuts += 2 * rule_of(made).smallest_share_in_double(made.cells);
      }
    }
    const auto alone = find_engine("cpu_double")->make(options_for(made));
    const std::vector<Maximum> expected = maxima_of(*alone, made.storms);
    const std::vector<double> right = layer_in_double_of(*alone);
    on_each_rank(made.ranks, [&](Communicator& communicator) {
      EngineOfRanks engine(communicator, *GetParam().entry, options_for(made));
      const std::vector<Maximum> maxima = applied(engine, made.storms, seed % 2 == 0);
      const auto layer = std::get<std::vector<double>>(engine.layer());
      ASSERT_EQ(maxima.size(), expected.size());
      for (std::size_t i = 0; i < maxima.size(); ++i) {
        EXPECT_NEAR(maxima[i].value, expected[i].value, error * (expected[i].value + cuts));
      }
      ASSERT_EQ(layer.size(), communicator.is_first() ? right.size() : 0);
      for (std::size_t k = 0; k < layer.size(); ++k) {
        ASSERT_NEAR(layer[k], right[k], error * (right[k] + cuts)) << k;
      }
    });
  });
}

TEST(Ranks, BeginWithALayer) {
  Case made = generated(7);
  made.cells = 3000;  // the last ranks do not hold the first cells
  std::vector<float> layer(static_cast<std::size_t>(made.cells));
  for (std::size_t k = 0; k < layer.size(); ++k) layer[k] = static_cast<float>(k * 7919 % 1009);
  for (const char* const name : {"cpu_direct", "cpu_fast"}) {
    const EngineEntry& entry = *find_engine(name);
    const auto alone = entry.make(options_for(made));
    alone->begin_with(layer);
    const std::vector<Maximum> expected = maxima_of(*alone, made.storms);
    on_each_rank(3, [&](Communicator& communicator) {
      EngineOfRanks engine(communicator, entry, options_for(made));
      engine.begin_with(layer);
      EXPECT_EQ(applied(engine, made.storms), expected) << name;
      const Layer left = engine.layer();
      if (communicator.is_first() && entry.method == Method::direct) {
        EXPECT_EQ(left, alone->layer());
      }
    });
  }
}

TEST(Ranks, GiveTheLayerInPieces) {
  const EngineEntry& entry = *find_engine("cpu_direct");
  // Rank 0 gives its cells at once, each of the others in one piece or in two.
  for (const auto& [cells, ranks] :
       {std::pair(std::int64_t{1001}, 4), {2 * EngineOfRanks::most_cells_of_piece + 4001, 2}}) {
    const Case made{{cells, {{"one", {{cells - 100, 1000}}}}}, ranks};
    const auto alone = entry.make(options_for(made));
    maxima_of(*alone, made.storms);
    const std::vector<float> expected = layer_of(*alone);
    std::vector<float> joined;
    int pieces = 0;
    on_each_rank(ranks, [&](Communicator& communicator) {
      EngineOfRanks engine(communicator, entry, options_for(made));
      applied(engine, made.storms);
      engine.give_layer([&](const LayerView& piece) {
        EXPECT_TRUE(communicator.is_first());
        const auto of_piece = std::get<std::span<const float>>(piece);
        joined.insert(joined.end(), of_piece.begin(), of_piece.end());
        ++pieces;
      });
      const Layer layer = engine.layer();
      EXPECT_TRUE(!communicator.is_first() || std::get<std::vector<float>>(layer) == expected);
    });
    EXPECT_TRUE(joined == expected);
    EXPECT_EQ(pieces, ranks == 4 ? 4 : 3);
  }
}

TEST(Ranks, AllLearnThatTheLayerCannotBeTaken) {
  const Case made = generated(7);
  for (const int of_piece : {1, 2, 4}) {
    const auto thrown = thrown_on_each_rank(4, [&](Communicator& communicator) {
      EngineOfRanks engine(communicator, *find_engine("cpu_direct"), options_for(made));
      int pieces = 0;
      engine.give_layer([&](const LayerView&) {
        if (++pieces == of_piece) throw InputError("disk full");
      });
    });
    EXPECT_EQ(thrown, what_all_throw(4, 0, "input: ", "disk full"));
  }
}

// One impact far above all others, which make a plain of many peaks on the other ranks' slabs.
TEST(Ranks, LookForCandidatesAsHighAsTheLayersMaximum) {
  const EngineEntry& entry = *find_engine("cpu_fast");
  for (const std::int64_t peak : {100, 39900}) {  // on the first rank's slab or the last one's
    Case made{{40000, {{"one", {{peak, 1000000000}}}, {"two", {}}}}, 4};
    for (std::int64_t k = 0; k < 40000; k += 4) made.storms[1].impacts.push_back({k, 1});
    const auto alone = entry.make(options_for(made));
    const std::vector<Maximum> expected = maxima_of(*alone, made.storms);
    on_each_rank(made.ranks, [&](Communicator& communicator) {
      EngineOfRanks engine(communicator, entry, options_for(made));
      EXPECT_EQ(applied(engine, made.storms), expected);
      const std::vector<Evidence> evidence = engine.evidence();
      ASSERT_EQ(evidence.size(), communicator.is_first() ? 2U : 0U);
      for (std::size_t i = 0; i < evidence.size(); ++i) {
        EXPECT_FALSE(evidence[i].direct);
        // All candidates are counted, and each of the other ranks has computed its own highest
        // peak.
        const std::int64_t of_one_process = alone->evidence()[i].candidates;
        EXPECT_GE(evidence[i].candidates, std::max<std::int64_t>(2, of_one_process));
        EXPECT_LE(evidence[i].candidates, of_one_process + 4);
      }
    });
  }
}

// Every cell has an uncertainty of its own, since one energy is negative, and the bound is relative
// to a slab's highest peak: it is larger where the layer is low.
TEST(Ranks, TellTheLargestBoundOfTheirSlabs) {
  const EngineEntry& entry = *find_engine("cpu_fast");
  for (const std::int64_t peak : {100, 900}) {  // on rank 0's slab or on rank 1's
    const Case made{{1000, {{"one", {{peak, 1000000}, {1000 - peak, 10000}, {500, -1}}}}}, 2};
    std::vector<double> bounds;
    for (int rank = 0; rank < made.ranks; ++rank) {
      EngineOptions options = options_for(made);
      options.part = part_of_layer(slab_of_rank(rank, made.ranks, made.cells), made.cells);
      const auto slab = entry.make(options);
      maxima_of(*slab, made.storms);
      bounds.push_back(slab->evidence().at(0).bound);
    }
    on_each_rank(made.ranks, [&](Communicator& communicator) {
      EngineOfRanks engine(communicator, entry, options_for(made));
      applied(engine, made.storms);
      const std::vector<Evidence> evidence = engine.evidence();
      if (!communicator.is_first()) return;
      EXPECT_EQ(evidence.at(0).bound, std::ranges::max(bounds));
      EXPECT_GT(evidence.at(0).bound, std::ranges::min(bounds));
    });
  }
}

// A plain of many peaks on the slab of rank 1 alone, so that only this rank computes all of it. The
// last storm has so many impacts that no rank screens it.
TEST(Ranks, AgreeWhereOnlyOneComputesAStormDirectly) {
  Case made{{1500,
             {{"plain", {}}, {"peak", {{100, 1000000}}}, {"plain", {}}, {"peak", {}}},
             {.threshold = 0, .quarters = 16}},
            3};
  for (std::int64_t k = 500; k < 1000; k += 4) {
    for (int i = 0; i < 120; ++i) made.storms[0].impacts.push_back({k, 500});
    made.storms[2].impacts.push_back({k + 1, 5});
  }
  made.storms[3].impacts = {{1250, 2000000}};
  made.storms.push_back({"many", std::vector<Impact>(60'000, {700, 500})});
  const std::vector<Maximum> expected =
      maxima_of(*find_engine("cpu_direct")->make(options_for(made)), made.storms);
  for (const bool together : {false, true}) {
    on_each_rank(made.ranks, [&](Communicator& communicator) {
      EngineOfRanks engine(communicator, *find_engine("cpu_fast"), options_for(made));
      EXPECT_EQ(applied(engine, made.storms, together), expected);
      const std::vector<Evidence> evidence = engine.evidence();
      if (!communicator.is_first()) return;
      EXPECT_TRUE(evidence.at(0).direct);
      EXPECT_LT(evidence.at(0).candidates, 750);
      EXPECT_EQ(evidence.at(4).candidates, made.cells);
    });
  }
}

/// Bytes that rank 0 moves for a storm.
std::int64_t moved(const Case& made, const char* engine_name) {
  std::int64_t bytes = 0;
  on_each_rank(made.ranks, [&](Communicator& communicator) {
    EngineOfRanks engine(communicator, *find_engine(engine_name), options_for(made));
    const std::int64_t before = communicator.bytes_moved();
    applied(engine, made.storms);
    if (communicator.is_first()) bytes = communicator.bytes_moved() - before;
  });
  return bytes;
}

TEST(Ranks, AMeetingMovesAByteOfEach) {
  on_each_rank(3, [](Communicator& communicator) {
    communicator.meet();
    EXPECT_EQ(communicator.bytes_moved(), 3);
  });
}

TEST(Ranks, WhatCrossesDoesNotDependOnTheCells) {
  const auto bytes = [](std::int64_t cells) {
    return moved({{cells, {{"one", {{50, 1000}, {13, 1000}}}}}, 3}, "cpu_fast");
  };
  // Except for a candidate, for whose place each rank has room.
  EXPECT_LE(std::abs(bytes(100) - bytes(10000)), 3 * 8);
  EXPECT_GT(bytes(100), 2 * static_cast<std::int64_t>(sizeof(Impact)));
  EXPECT_LT(bytes(100), 400);
}

TEST(Ranks, InDoubleImpactsGoToTheirSlabsAndStatesToAll) {
  const auto bytes = [](std::int64_t cells) {
    const std::vector<Impact> in_rank_1(1000, {cells / 2, 1000});
    return moved({{cells, {{"one", in_rank_1}}}, 3}, "cpu_double");
  };
  constexpr auto of_impacts = static_cast<std::int64_t>(1000 * sizeof(Impact));
  EXPECT_GT(bytes(30000), of_impacts);
  EXPECT_LT(bytes(30000), of_impacts + 3000);
  // The longer layer has an exponential sum of a few more terms.
  EXPECT_LT(bytes(300000), bytes(30000) + 600);
}

TEST(Ranks, AllLearnThatOneFailed) {
  const Case made{{64, {{"one", {{50, 1000}}}}}, 4};
  for (const int failing : {0, 1, 3}) {
    const auto thrown = thrown_on_each_rank(made.ranks, [&](Communicator& communicator) {
      if (communicator.rank() == failing) throw CannotRun("no threads left");
      EngineOfRanks engine(communicator, *find_engine("cpu_direct"), options_for(made));
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
        std::string text;
        broadcast(communicator, text);
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

TEST(Ranks, RefuseAnEngineWithoutALayer) {
  const auto thrown = thrown_on_each_rank(2, [](Communicator& communicator) {
    const EngineOptions options{.part = whole_layer(64), .storms = 1};
    EngineOfRanks(communicator, *find_engine("cpu_sparse"), options);
  });
  for (const std::string& text : thrown) EXPECT_TRUE(contains(text, "cpu_sparse stores no layer"));
}

}  // namespace
}  // namespace bombard::tests
