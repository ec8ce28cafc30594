#include "sim/engines/engine.hpp"

#include <gtest/gtest.h>

#include "tests/sim/engines/against_oracle.hpp"
#include "tests/sim/engines/layer_of.hpp"

using bombard::larger;
using bombard::Maximum;
using bombard::Storm;

TEST(Larger, TakesTheValueThenTheSmallerPosition) {
  EXPECT_EQ(larger({3, 1.0}, {9, 2.0}), (Maximum{9, 2.0}));
  EXPECT_EQ(larger({9, 2.0}, {3, 1.0}), (Maximum{9, 2.0}));
  EXPECT_EQ(larger({9, 2.0}, {3, 2.0}), (Maximum{3, 2.0}));
  EXPECT_EQ(larger({3, 2.0}, {9, 2.0}), (Maximum{3, 2.0}));
  EXPECT_EQ(larger({}, {9, 2.0}), (Maximum{9, 2.0}));
  EXPECT_EQ(larger({}, {}), (Maximum{0, 0.0}));
}

// One impact of energy 5 (thousands) in the middle of 5 cells: e = 5 * 1000 / 5 = 1000, the shares
// are 1000/sqrt(3), 1000/sqrt(2), 1000, 1000/sqrt(2), 1000/sqrt(3), and the peak is (707.1068 +
// 1000 + 707.1068) / 3.
TEST_P(EngineTest, OneImpactByHand) {
  const auto engine = GetParam().make({.part = bombard::whole_layer(5), .storms = 1});
  const std::vector<Storm> storms{{"one", {{2, 5}}}};
  const auto maxima = engine->apply(storms);
  ASSERT_EQ(maxima.size(), 1U);
  EXPECT_EQ(maxima[0].position, 2);
  EXPECT_FLOAT_EQ(static_cast<float>(maxima[0].value), 804.7379F);
  const auto layer = layer_of(*engine);
  ASSERT_EQ(layer.size(), 5U);
  EXPECT_FLOAT_EQ(layer[0], 577.3503F);
  EXPECT_FLOAT_EQ(layer[1], 761.4857F);
  EXPECT_FLOAT_EQ(layer[2], 804.7379F);
  EXPECT_FLOAT_EQ(layer[3], 761.4857F);
  EXPECT_FLOAT_EQ(layer[4], 577.3503F);
}

TEST_P(EngineTest, AtThresholdAShareCounts) {
  // e = 1000, and the share at distance 4 is 1000/2 = 500 exactly: T/L = 500 still adds it.
  const auto engine = GetParam().make(
      {.part = bombard::whole_layer(8), .storms = 1, .rule = {.threshold = 4000.0F}});
  const std::vector<Storm> storms{{"one", {{0, 8}}}};
  engine->apply(storms);
  const auto layer = layer_of(*engine);
  EXPECT_EQ(layer[7], 0.0F);
  EXPECT_FLOAT_EQ(layer[3], (577.3503F + 500.0F) / 3);
}

TEST_P(EngineTest, ResetStartsAgain) {
  const std::vector<Storm> storms{{"one", {{20, 5}, {90, 7}}}, {"two", {{50, 900}}}};
  for (const bool keep_layer : {true, false}) {
    const auto engine =
        GetParam().make({.part = bombard::whole_layer(101), .storms = 2, .keep_layer = keep_layer});
    const auto maxima = engine->apply(storms);
    const auto layer = keep_layer ? layer_of(*engine) : std::vector<float>{};
    engine->reset();
    std::vector<Maximum> again;
    for (const Storm& storm : storms) again.push_back(engine->apply({&storm, 1}).at(0));
    EXPECT_EQ(written(again), written(maxima));
    if (keep_layer) {
      EXPECT_EQ(layer_of(*engine), layer);
    }
  }
}

TEST_P(EngineTest, NothingFallsOnTheLayer) {
  const auto engine = GetParam().make({.part = bombard::whole_layer(7), .storms = 2});
  EXPECT_TRUE(engine->apply(std::span<const Storm>()).empty());
  const std::vector<Storm> storms(2);
  EXPECT_EQ(engine->apply(storms), (std::vector<Maximum>{{0, 0.0}, {0, 0.0}}));
  EXPECT_EQ(layer_of(*engine), std::vector<float>(7, 0.0F));
}

TEST_P(EngineTest, OfEqualMaximaTheFirst) {
  const Bombardment mirrored{41, {{"mirrored", {{10, 100}, {30, 100}}}}};
  const auto rule = by_the_rule(mirrored);
  ASSERT_EQ(rule.layer[10], rule.layer[30]);
  ASSERT_EQ(rule.peaks[0].position, 10);
  expect_rule(GetParam(), mirrored, rule);
}

// Two impacts on either side of a cell raise both neighbours above it, and relaxation makes it the
// peak: wherever an engine cuts the layer, the neighbour across the cut must have been relaxed,
// too.
TEST_P(EngineTest, APeakIsSeenWhereverTheLayerIsCut) {
  constexpr std::int64_t cells = 6000;
  const auto engine =
      GetParam().make({.part = bombard::whole_layer(cells), .storms = 1, .keep_layer = false});
  for (std::int64_t k = 2; k < cells - 2; ++k) {
    const std::vector<Storm> storms{{"two", {{k - 1, 1000}, {k + 1, 1000}}}};
    engine->reset();
    ASSERT_EQ(engine->apply(storms).front().position, k);
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, EngineTest, testing::ValuesIn(engines_under_test()), engine_name);
