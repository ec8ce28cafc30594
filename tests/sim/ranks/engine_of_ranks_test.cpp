// Engines in several ranks, which are threads here, against one process.

#include "sim/ranks/engine_of_ranks.hpp"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "bombard/errors.hpp"
#include "tests/random_storms.hpp"
#include "tests/sim/ranks/engines_in_ranks.hpp"

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

class RanksInSingle : public testing::TestWithParam<const char*> {};

TEST_P(RanksInSingle, GiveTheDigitsOfOneProcess) {
  for (std::uint64_t seed = 1; seed <= cases(80); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    expect_digits_of_one_process(GetParam(), generated(seed), seed % 2 == 0);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, RanksInSingle,
                         testing::Values("reference", "cpu_direct", "cpu_fast"),
                         [](const auto& engine) { return std::string(engine.param); });

TEST(RanksInDouble, GiveTheMaximaOfOneProcess) {
  for (std::uint64_t seed = 1; seed <= cases(80); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    expect_sums_of_one_process("cpu_double", generated(seed), seed);
    if (HasFailure()) return;
  }
}

TEST(Ranks, BeginWithALayer) {
  Case made = generated(7);
  made.cells = 3000;  // the last ranks do not hold the first cells
  std::vector<float> layer(static_cast<std::size_t>(made.cells));
  for (std::size_t k = 0; k < layer.size(); ++k) layer[k] = static_cast<float>(k * 7919 % 1009);
  for (const char* const name : {"cpu_direct", "cpu_fast"}) {
    const EngineEntry& entry = *find_engine(name);
    const auto alone = entry.make(options_for(made));
    alone->dense()->begin_with(layer);
    const std::vector<Maximum> expected = alone->apply(made.storms);
    on_each_rank(3, [&](Communicator& communicator) {
      EngineOfRanks engine(communicator, entry, options_for(made));
      engine.begin_with(layer);
      EXPECT_EQ(applied(engine, made.storms), expected) << name;
      const Layer left = engine.layer();
      if (communicator.is_first() && entry.method == Method::direct) {
        EXPECT_EQ(left, alone->dense()->layer());
      }
    });
  }
}

TEST(Ranks, GiveTheLayerInPieces) {
  const EngineEntry& entry = *find_engine("cpu_direct");
  // Rank 0 gives its cells at once, each of the others in one piece or in two.
  for (const auto& [cells, ranks] :
       {std::pair(std::int64_t{1001}, 4), {2 * EngineOfRanks::most_cells_of_piece + 4001, 2}}) {
    const Case made{cells, ranks, {{"one", {{cells - 100, 1000}}}}};
    const auto alone = entry.make(options_for(made));
    alone->apply(made.storms);
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
    EXPECT_EQ(thrown[0], "input: disk full");
    for (const int rank : {1, 2, 3}) {
      EXPECT_EQ(thrown[static_cast<std::size_t>(rank)], "input: rank 0 on here: disk full");
    }
  }
}

TEST(Ranks, TakeTheSmallerPositionOfEqualMaxima) {
  const Case made{64, 4, {{"mirrored", {{50, 1000}, {13, 1000}}}}};
  on_each_rank(made.ranks, [&](Communicator& communicator) {
    EngineOfRanks engine(communicator, *find_engine("cpu_direct"), options_for(made));
    EXPECT_EQ(applied(engine, made.storms).at(0).position, 13);
  });
}

// One impact far above all others, which make a plain of many peaks on the slabs of the others.
TEST(Ranks, LookForCandidatesAsHighAsTheLayersMaximum) {
  const EngineEntry& entry = *find_engine("cpu_fast");
  for (const std::int64_t peak : {100, 39900}) {  // on the first rank's slab, on the last one's
    Case made{40000, 4, {{"one", {{peak, 1000000000}}}, {"two", {}}}};
    for (std::int64_t k = 0; k < 40000; k += 4) made.storms[1].impacts.push_back({k, 1});
    const auto alone = entry.make(options_for(made));
    const std::vector<Maximum> expected = alone->apply(made.storms);
    on_each_rank(made.ranks, [&](Communicator& communicator) {
      EngineOfRanks engine(communicator, entry, options_for(made));
      EXPECT_EQ(applied(engine, made.storms), expected);
      const std::vector<Evidence> evidence = engine.evidence();
      ASSERT_EQ(evidence.size(), communicator.is_first() ? 2U : 0U);
      for (std::size_t i = 0; i < evidence.size(); ++i) {
        EXPECT_FALSE(evidence[i].direct);
        // All of them are counted, and each of the others has computed its own highest peak.
        EXPECT_GE(evidence[i].candidates, 2);
        EXPECT_GE(evidence[i].candidates, alone->evidence()[i].candidates);
        EXPECT_LE(evidence[i].candidates, alone->evidence()[i].candidates + 4);
      }
    });
  }
}

// A plain of many peaks on the slab of rank 1 alone, so that only this rank computes all of it.
TEST(Ranks, AgreeWhereOnlyOneComputesAStormDirectly) {
  Case made{6000, 3, {{"plain", {}}, {"peak", {{100, 1000000}}}, {"plain", {}}, {"peak", {}}}};
  for (std::int64_t k = 2000; k < 4000; k += 4) {
    for (int i = 0; i < 120; ++i) made.storms[0].impacts.push_back({k, 500});
    made.storms[2].impacts.push_back({k + 1, 5});
  }
  made.storms[3].impacts = {{5000, 2000000}};
  const std::vector<Maximum> expected =
      find_engine("cpu_direct")->make(options_for(made))->apply(made.storms);
  for (const bool together : {false, true}) {
    on_each_rank(made.ranks, [&](Communicator& communicator) {
      EngineOfRanks engine(communicator, *find_engine("cpu_fast"), options_for(made));
      EXPECT_EQ(applied(engine, made.storms, together), expected);
      const std::vector<Evidence> evidence = engine.evidence();
      if (!communicator.is_first()) return;
      EXPECT_TRUE(evidence.at(0).direct);
      EXPECT_LT(evidence.at(0).candidates, 3000);
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

TEST(Ranks, WhatCrossesDoesNotDependOnTheCells) {
  std::vector<std::int64_t> bytes;
  for (const std::int64_t cells : {100, 10000}) {
    bytes.push_back(moved({cells, 3, {{"one", {{50, 1000}, {13, 1000}}}}}, "cpu_fast"));
  }
  // But for a candidate, whose place each rank gives room.
  EXPECT_LE(std::abs(bytes[0] - bytes[1]), 3 * static_cast<std::int64_t>(sizeof(std::int64_t)));
  EXPECT_GT(bytes[0], 2 * static_cast<std::int64_t>(sizeof(Impact)));
  EXPECT_LT(bytes[0], 400);
}

TEST(Ranks, InDoubleImpactsGoToTheirSlabsAndStatesToAll) {
  std::vector<std::int64_t> bytes;
  for (const std::int64_t cells : {30000, 300000}) {
    Case made{cells, 3, {{"one", {}}}};
    for (int i = 0; i < 1000; ++i) made.storms[0].impacts.push_back({cells / 2, 1000});
    bytes.push_back(moved(made, "cpu_double"));
  }
  // Only rank 1 needs them. The longer layer has an exponential sum of some terms more.
  EXPECT_GT(bytes[0], 1000 * static_cast<std::int64_t>(sizeof(Impact)));
  EXPECT_LT(bytes[0], 1000 * static_cast<std::int64_t>(sizeof(Impact)) + 3000);
  EXPECT_LT(bytes[1], bytes[0] + 600);
}

TEST(Ranks, AllLearnThatOneFailed) {
  const Case made{64, 4, {{"one", {{50, 1000}}}}};
  for (const int failing : {0, 1, 3}) {
    const auto thrown = thrown_on_each_rank(
        made.ranks,
        [&](Communicator& communicator) {
          EngineOptions options = options_for(made);
          options.threads = 0;  // asks each rank
          EngineOfRanks engine(communicator, *find_engine("cpu_direct"), options);
          ADD_FAILURE() << "no rank failed";
        },
        failing);
    for (int rank = 0; rank < made.ranks; ++rank) {
      const std::string of = "rank " + std::to_string(failing) + " on here: ";
      EXPECT_EQ(thrown[static_cast<std::size_t>(rank)],
                "cannot: " + (rank == failing ? "" : of) + "no threads left");
    }
  }
}

// The first of those that fail at one time counts, on the others, too.
TEST(Ranks, AllThrowTheSameWhereSeveralFail) {
  const auto thrown = thrown_on_each_rank(4, [](Communicator& communicator) {
    communicator.meet();
    if (communicator.rank() == 1) throw InputError("no file");
    if (communicator.rank() == 3) throw CannotRun("no memory");
  });
  const std::string told = "input: rank 1 on here: no file";
  EXPECT_EQ(thrown, (std::vector<std::string>{told, "input: no file", told, told}));
}

TEST(Ranks, RefuseAnEngineWithoutALayer) {
  const auto thrown = thrown_on_each_rank(2, [](Communicator& communicator) {
    const EngineOptions options{.part = whole_layer(64), .storms = 1};
    EngineOfRanks(communicator, *find_engine("cpu_sparse"), options);
  });
  for (const std::string& text : thrown)
    EXPECT_NE(text.find("cpu_sparse stores no layer"), std::string::npos);
}

}  // namespace
}  // namespace bombard::tests
