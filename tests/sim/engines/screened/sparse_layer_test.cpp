// The engines that store no layer, against the oracle and, on layers beyond it, against the direct
// engine and long double. BOMBARD_CASES says how many random cases there are (CONTRIBUTING.md).

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/generation.hpp"
#include "tests/attenuations.hpp"
#include "tests/sim/engines/generated.hpp"
#include "tests/sim/engines/layer_of.hpp"
#include "tests/text.hpp"

namespace bombard {
namespace {

class Sparse : public testing::Test {
 protected:
  static EngineUnderTest sparse_engine() { return {"cpu_sparse", find_engine("cpu_sparse")}; }
  static std::unique_ptr<EngineChain> engine_for(std::int64_t cells, std::int64_t storms,
                                                 float threshold = 0.001F) {
    return sparse_engine().make(
        {.part = whole_layer(cells), .storms = storms, .rule = {.threshold = threshold}});
  }

  /// The maxima of an engine. It must give `why` as the reason for storing the layer in the last
  /// storm, and look at no more than `most_seen` cells in all.
  static std::vector<Maximum> maxima_by_sparse(const Bombardment& made, const char* why = "",
                                               std::int64_t most_seen = 100'000) {
    const auto engine = sparse_engine().make(options_for(made));
    std::vector<Maximum> maxima;
    std::int64_t seen = 0;
    for (const Storm& storm : made.storms) {
      maxima.push_back(engine->apply({storm.impacts}));
      seen += engine->evidence()->cells_seen;
    }
    EXPECT_LE(seen, most_seen);
    EXPECT_STREQ(engine->evidence()->why, why);
    return maxima;
  }
};

/// Cells of a layer and ranges of them, in any order, some twice.
std::vector<CellRange> some_cells(Random& random, std::int64_t cells) {
  std::vector<CellRange> list;
  for (std::int64_t i = below(random, 5); i >= 0; --i) {
    const std::int64_t begin =
        list.empty() || below(random, 2) == 0 ? below(random, cells) : list.front().begin;
    list.push_back({begin, std::min(begin + 1 + below(random, 30), cells)});
  }
  return list;
}

void expect_cells_and_peaks(EngineChain& engine, const std::vector<float>& layer, Random& random) {
  const auto list = some_cells(random, std::ssize(layer));
  const std::int64_t count = below(random, below(random, 4) == 0 ? 9 : 3);
  const bool peaks_first = below(random, 2) == 0;
  const auto expect_peaks = [&] {
    const PeakList list = engine.highest_peaks(count);
    std::vector<CellValue> expected = highest_peaks(std::span(layer), count);
    std::erase_if(expected, [&](const auto& peak) { return peak.value < list.complete_from; });
    ASSERT_EQ(list.peaks, expected);
  };
  if (peaks_first) expect_peaks();
  ASSERT_EQ(engine.values_at(list), values_at(std::span(layer), list));
  if (!peaks_first) expect_peaks();
}

/// Storm by storm, with a look at cells and peaks in some cases; all storms at once in parts.
TEST_F(Sparse, SlowGeneratedCasesFollowTheRule) {
  std::int64_t storms = 0, sparse = 0;
  for (std::uint64_t seed = 1; seed <= cases(120); ++seed) {
    Random random(seed);
    const Bombardment made = generated_sparse(random);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << told(made));
    EngineOptions options = options_for(made);
    options.threads = static_cast<int>(1 + below(random, 3));
    const auto running = sparse_engine().make(options);
    std::vector<float> layer(static_cast<std::size_t>(made.cells));
    const bool looks_closely = seed % 20 == 0;
    if (looks_closely) expect_cells_and_peaks(*running, layer, random);
    for (const Storm& storm : made.storms) {
      const oracle::Result rule = by_the_rule({made.cells, {storm}, made.rule, layer});
      layer = rule.layer;
      ASSERT_EQ(written(rule.peaks),
                written(std::vector<Maximum>{running->apply({storm.impacts})}));
      ++storms;
      sparse += running->entry().method == Method::sparse;
      if (looks_closely) expect_cells_and_peaks(*running, layer, random);
    }
    if (seed % 8 == 0)
      expect_rule_in_parts(sparse_engine(), made, by_the_rule(made), 2 + below(random, 3));
    if (testing::Test::HasFailure()) return;
  }
  // The cases are about this engine, not about the one that goes on, and stays, where it gives up.
  EXPECT_GT(sparse, storms * 2 / 3);
}

// With all impacts on one side, roundings make no peaks.
TEST_F(Sparse, PeaksOfALayerThatNoMemoryHolds) {
  constexpr std::int64_t cells = std::int64_t{1} << 50;
  const auto engine = engine_for(cells, 1);
  const std::vector<Storm> storms{{"two", {{1000, 200}, {1010, 100}}}};
  const Maximum maximum = maxima_of(*engine, storms).front();
  const PeakList list = engine->highest_peaks(9);
  const std::vector<CellValue>& peaks = list.peaks;
  EXPECT_EQ(list.complete_from, 0);
  ASSERT_EQ(peaks.size(), 2U);
  EXPECT_EQ(peaks[0], (CellValue{maximum.position, maximum.value}));
  EXPECT_EQ(peaks[1], engine->values_at(std::vector<CellRange>{{1010, 1011}})[0]);
  EXPECT_EQ(engine->values_at(std::vector<CellRange>{{cells - 1, cells}}).size(), 1U);
}

// Between two impacts they do, and these are too many to be looked at: the two are told.
TEST_F(Sparse, PeaksThatAreProved) {
  constexpr std::int64_t cells = std::int64_t{1} << 38;
  const auto engine = engine_for(cells, 1);
  const Storm storm{"far apart", {{1000, 200}, {cells / 2, 100}}};
  const Maximum maximum = engine->apply({storm.impacts});
  const PeakList list = engine->highest_peaks(3);
  ASSERT_EQ(list.peaks.size(), 2U);
  EXPECT_EQ(list.peaks[0], (CellValue{maximum.position, maximum.value}));
  EXPECT_EQ(list.peaks[1].position, cells / 2);
  EXPECT_GT(list.complete_from, 0);
  EXPECT_LE(list.complete_from, list.peaks[1].value);
  EXPECT_EQ(engine->highest_peaks(2), (PeakList{list.peaks, 0}));
  EXPECT_EQ(engine->evidence()->candidates, 1);
}

// Most of the impacts are candidates, which are told from the maximum by bounds; the highest peaks
// are not.
TEST_F(Sparse, TheMaximumOfManyEqualImpacts) {
  constexpr std::int64_t cells = std::int64_t{1} << 56, impacts = 2000, apart = cells / impacts;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Random random(seed);
    Storm storm;
    for (std::int64_t i = 0; i < impacts; ++i) {
      storm.impacts.push_back({i * apart + below(random, apart / 2), 100});
    }
    std::ranges::shuffle(storm.impacts, random);
    const auto engine = engine_for(cells, 1, 0);
    const Maximum found = maxima_of(*engine, std::vector<Storm>{storm}).front();
    EXPECT_EQ(engine->highest_peaks(1), (PeakList{{{found.position, found.value}}, 0}));
    std::array<float, 3> around{};  // by the rule; shares are added in the order of the file
    for (const Impact& impact : storm.impacts) {
      for (std::int64_t k = 0; k < 3; ++k) {
        const std::int64_t apart = std::abs(impact.position - (found.position - 1 + k));
        around[k] += static_cast<float>(impact.energy) * 1000 / static_cast<float>(cells) /
                     std::sqrt(static_cast<float>(apart + 1));
      }
    }
    EXPECT_EQ(static_cast<float>(found.value), (around[0] + around[1] + around[2]) / 3);
    EXPECT_GT(engine->evidence()->candidates, impacts / 2);
  }
}

// The best one is confirmed first, and then all others. So many that they take a second
// are given up, and no memory holds the layer.
TEST_F(Sparse, TellsHowManyCellsWereConfirmedAndNotTooMany) {
  constexpr std::int64_t cells = std::int64_t{1} << 56;
  const auto engine = engine_for(cells, 1, 0);
  const auto apply = [&](std::int64_t impacts) {
    std::vector<Impact> apart;
    for (std::int64_t i = 0; i < impacts; ++i) apart.push_back({cells / impacts * i + 9, 100});
    engine->reset();
    engine->apply({apart});
  };
  apply(20);
  EXPECT_EQ(engine->evidence()->candidates, 20);
  EXPECT_GT(engine->evidence()->bound, 0);
  EXPECT_TRUE(tests::contains(tests::message_of<CannotRun>([&] { apply(40'000); }),
                              "takes the place of cpu_sparse: too many cells may be the maximum"));
}

// The impact far away makes one of the two cells the higher one, by 2e-14 of its value: roundings
// level that.
TEST_F(Sparse, PeaksThatRoundingsLevelAreNone) {
  constexpr std::int64_t cells = 1'000'000;
  const auto engine = engine_for(cells, 1);
  const Maximum maximum = maxima_of(
      *engine,
      std::vector<Storm>{
          {"side by side", {{500'000, 1'000'000}, {500'001, 1'000'000}, {900'000, 10}}}})[0];
  EXPECT_EQ(maximum.position, 900'000);
  EXPECT_EQ(engine->highest_peaks(1), (PeakList{{{maximum.position, maximum.value}}, 0}));
}

// Two impacts side by side and of one energy leave two equal cells, and one outside leaves a slope.
TEST_F(Sparse, WithoutAPeakNoLayerIsStored) {
  constexpr std::int64_t cells = std::int64_t{1} << 50;
  for (const Storm& storm : {Storm{"side by side", {{cells / 2, 100}, {cells / 2 + 1, 100}}},
                             Storm{"outside", {{-5, 100}}},
                             Storm{"on the last cell", {{cells - 1, 70}, {cells + 3, 90}}},
                             Storm{"none", {}}, Storm{"without energy", {{7, 0}}}}) {
    EXPECT_EQ(maxima_by_sparse({cells, {storm}}).front(), Maximum{}) << storm.name;
  }
  EXPECT_EQ(maxima_by_sparse({cells, {{"one", {{cells / 2, 1 << 20}, {3, 50}}}}}).front().position,
            cells / 2);
}

// Far impacts leave the layer flat, where (a + a + a) / 3 may exceed a.
TEST_F(Sparse, RoundingsMakeAPeakBesideAnEnd) {
  for (const Bombardment& made :
       {Bombardment{200, {{"left", {{-58786284297, 1028}}}}, {.threshold = 0}},
        Bombardment{1'000'000, {{"right", {{88938375, 1046641661}}}}, {.threshold = 0}}}) {
    EXPECT_EQ(written(maxima_by_sparse(made)), written(by_the_rule(made).peaks));
  }
}

TEST_F(Sparse, SaysWhyTheLayerIsStored) {
  const Storm one{"one", {{500, 10}}};
  maxima_by_sparse({100'000, {one, one}});
  maxima_by_sparse({100'000, {one, {"negative", {{500, -1}}}}}, "an energy is negative");
  maxima_by_sparse({100'000, {one}, {.threshold = 1000}}, "not every share counts");
  maxima_by_sparse({20, {{"one", {{5, 10}}}}}, "the neighbourhoods of impacts cover the layer");
  const Storm many{"many", std::vector<Impact>(7000, {500, 10})};
  maxima_by_sparse({100'000, {many}}, "there are many impacts to a cell");
}

// ---- Where another way is the faster one: what is done is counted, not timed ----

// Impacts far outside on both sides leave a flat layer, in which roundings alone make peaks.
TEST_F(Sparse, FlatLayersAreForAnotherEngine) {
  for (std::uint64_t seed = 1; seed <= cases(20); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const std::int64_t cells = 3'000'000 + below(random, 300'000);
    const std::int64_t away = 10'000'000 + below(random, std::int64_t{1} << 30);
    const Bombardment made{cells, {{"outside", {{-away, 100}, {cells + away, 100}}}}};
    EngineChain direct(*find_engine("cpu_direct"), options_for(made));
    EXPECT_EQ(maxima_by_sparse(made, "too many cells may be the maximum", 2'000'000),
              maxima_of(direct, made.storms));
  }
}

TEST_F(Sparse, ManyImpactsOnOneCellAreOneSource) {
  constexpr std::int64_t cells = 1'000'000, impacts = 20'000;
  const Storm one_cell{"one cell", std::vector<Impact>(impacts, {cells / 2, 100})};
  maxima_by_sparse({cells, std::vector<Storm>(4, one_cell)}, "", 400);
}

// Each storm adds two cells to each candidate: more memory than is taken without a question.
TEST_F(Sparse, HundredsOfStormsOnALayerThatNoMemoryHolds) {
  constexpr std::int64_t cells = 1'000'000'000'000'000;
  Bombardment made{cells, {}};
  for (int i = 0; i < 600; ++i) made.storms.push_back(generate_storm(cells, 1, 100, 101, 8, i));
  EXPECT_EQ(maxima_by_sparse(made, "", 100'000'000).size(), 600U);
}

}  // namespace
}  // namespace bombard
