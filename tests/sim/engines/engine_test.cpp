// What holds for every engine: by hand, and against the oracle on generated layers and storms,
// which are the same on every machine. BOMBARD_CASES says how many random cases each engine runs
// (CONTRIBUTING.md).

#include "sim/engines/engine.hpp"

#include <gtest/gtest.h>

#include <variant>

#include "tests/sim/engines/generated.hpp"
#include "tests/sim/engines/layer_of.hpp"

namespace bombard {
namespace {

TEST(Larger, TakesTheValueThenTheSmallerPosition) {
  EXPECT_EQ(larger({3, 1.0}, {9, 2.0}), (Maximum{9, 2.0}));
  EXPECT_EQ(larger({9, 2.0}, {3, 1.0}), (Maximum{9, 2.0}));
  EXPECT_EQ(larger({9, 2.0}, {3, 2.0}), (Maximum{3, 2.0}));
  EXPECT_EQ(larger({3, 2.0}, {9, 2.0}), (Maximum{3, 2.0}));
  EXPECT_EQ(larger({}, {9, 2.0}), (Maximum{9, 2.0}));
  EXPECT_EQ(larger({}, {}), (Maximum{0, 0.0}));
}

// ---- In either precision ----

class EveryEngine : public EngineTest {
 protected:
  static bool in_double() { return GetParam().in_double(); }
  /// A layer of equal cells, in the engine's precision.
  static Layer flat_layer(std::size_t cells, float value) {
    if (in_double()) return std::vector<double>(cells, value);
    return std::vector<float>(cells, value);
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, EveryEngine, testing::ValuesIn(engines_under_test()),
                         engine_name);
INSTANTIATE_TEST_SUITE_P(InDouble, EveryEngine,
                         testing::ValuesIn(engines_under_test(Precision::binary64)), engine_name);

/// One impact, and the layer that it leaves.
struct ByHand {
  const char* why;
  Impact impact;
  Rule rule;
  std::vector<double> layer;
  Maximum peak;
  bool shares_end = false;
};

// The energy is e = 1000 v / L in the second edition, v / 1000 in the first. Shares come to e /
// n^b, n the distance; then a cell becomes the mean of itself and its neighbours.
const ByHand by_hand[] = {
    {"1000 / sqrt(n)",
     {2, 5},
     {},
     {577.35026918962576, 761.48568345872445, 804.73785412436502, 761.48568345872445,
      577.35026918962576},
     {2, 804.73785412436502}},
    {"the share at n = 4 is 500, which is T / L, and counts",
     {0, 8},
     {.threshold = 4000},
     {1000, 761.48568345872445, 594.81901679205777, 359.11675639654192, 500.0 / 3, 0, 0, 0},
     {},
     true},
    {"it is less than T / L, and does not",
     {0, 8},
     {.threshold = 4001},
     {1000, 761.48568345872445, 428.15235012539110, 192.45008972987525, 0, 0, 0, 0},
     {},
     true},
    {"200 at the impact alone, for 141.4 beside it is less than T / L",
     {2, 1},
     {.threshold = 5 * 150},
     {0, 200.0 / 3, 200.0 / 3, 200.0 / 3, 0},
     {},
     true},
    {"none counts", {2, 1}, {.threshold = 5 * 200.5F}, {0, 0, 0, 0, 0}, {}, true},
    {"0.036 / sqrt(n), down to 0.0255: T is not divided by the cells",
     {2, 36},
     {.edition = Edition::first, .threshold = 0.021F},
     {0, 0.020485281374238571, 0.028970562748477141, 0.020485281374238571, 0},
     {2, 0.028970562748477141},
     true},
    {"7200 / n", {2, 36}, {.attenuation = {1}}, {2400, 4400, 4800, 4400, 2400}, {2, 4800}},
    {"7200 / n^2",
     {2, 36},
     {.attenuation = {2}},
     {800, 9800 / 3.0, 3600, 9800 / 3.0, 800},
     {2, 3600}},
};

void expect_by_hand(const EngineUnderTest& under_test, double impacts) {
  for (const ByHand& given : by_hand) {
    SCOPED_TRACE(given.why);
    const bool has_rule = under_test.in_double()
                              ? !given.shares_end
                              : given.rule.attenuation == square_root_attenuation;
    if (!has_rule) continue;
    const auto engine = under_test.make(
        {.part = whole_layer(std::ssize(given.layer)), .storms = 1, .rule = given.rule});
    const auto expect_near = [&](double found, double expected) {
      if (under_test.in_double()) {
        EXPECT_NEAR(found, expected * impacts, (5e-12 * expected + 1e-9) * impacts);
      } else {
        EXPECT_FLOAT_EQ(static_cast<float>(found), static_cast<float>(expected));
      }
    };
    const std::vector<Storm> storms{
        {"", std::vector(static_cast<std::size_t>(impacts), given.impact)}};
    const std::vector<Maximum> maxima = maxima_of(*engine, storms);
    ASSERT_EQ(maxima.size(), 1U);
    EXPECT_EQ(maxima[0].position, given.peak.position);
    expect_near(maxima[0].value, given.peak.value);
    const auto expect_layer = [&](const auto& layer) {
      ASSERT_EQ(layer.size(), given.layer.size());
      for (std::size_t k = 0; k < layer.size(); ++k) expect_near(layer[k], given.layer[k]);
    };
    std::visit(expect_layer, engine->layer());
  }
}

TEST_P(EveryEngine, OneImpactByHand) {
  expect_by_hand(GetParam(), 1);
  if (in_double()) expect_by_hand(GetParam(), 600'000);  // these reach a GPU in another way
}

TEST_P(EveryEngine, ResetStartsAgain) {
  const std::vector<Storm> storms{{"one", {{20, 5}, {90, 7}}}, {"two", {{50, 900}}}};
  for (const bool keep_layer : {true, false}) {
    const auto engine =
        GetParam().make({.part = whole_layer(101), .storms = 2, .keep_layer = keep_layer});
    const auto maxima = maxima_of(*engine, storms);
    const auto layer = keep_layer ? engine->layer() : Layer();
    for (const bool begun_with_another : {false, true}) {
      if (begun_with_another && has_layer(*GetParam().entry))
        engine->begin_with(view_of(flat_layer(101, 1e9F)));
      engine->reset();
      if (keep_layer) {
        EXPECT_EQ(engine->layer(), flat_layer(101, 0));
      }
      EXPECT_EQ(maxima_of(*engine, storms), maxima);
      if (keep_layer) {
        EXPECT_EQ(engine->layer(), layer);
      }
      engine->reset();
    }
  }
}

TEST_P(EveryEngine, NothingFallsOnTheLayer) {
  const auto engine = GetParam().make({.part = whole_layer(7), .storms = 2});
  EXPECT_TRUE(maxima_of(*engine, std::span<const Storm>()).empty());
  const std::vector<Storm> storms(2);
  EXPECT_EQ(maxima_of(*engine, storms), (std::vector<Maximum>{{0, 0.0}, {0, 0.0}}));
  EXPECT_EQ(engine->layer(), flat_layer(7, 0));
}

// ---- The rule, bit for bit ----

INSTANTIATE_TEST_SUITE_P(Engines, EngineTest, testing::ValuesIn(engines_under_test()), engine_name);

// Storm by storm, in parts, and from the layer that any number of storms have left.
TEST_P(EngineTest, SlowGeneratedCasesFollowTheRule) {
  for (std::uint64_t seed = 1; seed <= cases(100); ++seed) {
    Random random(seed);
    const Bombardment whole = generated_of_family(random);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << told(whole));
    const oracle::Result rule = by_the_rule(whole);
    expect_rule(GetParam(), whole, rule);
    expect_rule(GetParam(), whole, rule, false, static_cast<int>(1 + below(random, 3)));
    expect_rule_in_parts(GetParam(), whole, rule, 2 + below(random, 4));
    const std::int64_t cut = below(random, std::ssize(whole.storms) + 1);
    SCOPED_TRACE(testing::Message() << "cut after " << cut);
    const Bombardment rest = after_storms(whole, static_cast<std::size_t>(cut));
    const oracle::Result rule_of_rest{{rule.peaks.begin() + cut, rule.peaks.end()}, rule.layer};
    expect_rule(GetParam(), rest, rule_of_rest);
    expect_rule_in_parts(GetParam(), rest, rule_of_rest, 1 + below(random, 3));
    if (HasFailure()) return;
  }
}

// Two impacts on either side of a cell raise both neighbours above it, and relaxation makes it the
// peak: wherever an engine cuts the layer, the neighbour across the cut must have been relaxed,
// too.
TEST_P(EngineTest, APeakIsSeenWhereverTheLayerIsCut) {
  constexpr std::int64_t cells = 6000;
  const auto engine =
      GetParam().make({.part = whole_layer(cells), .storms = 1, .keep_layer = false});
  for (std::int64_t k = 2; k < cells - 2; ++k) {
    const std::vector<Storm> storms{{"two", {{k - 1, 1000}, {k + 1, 1000}}}};
    engine->reset();
    ASSERT_EQ(maxima_of(*engine, storms).front().position, k);
  }
}

TEST_P(EngineTest, ServesManyStormsInParts) {
  // A candidate needs a cell more on either side for each storm, as far as the layer is known.
  const Bombardment rest = after_storms(generated_at_random(900, 60, 3), 20);
  const oracle::Result rule = by_the_rule(rest);
  for (const std::int64_t parts : {1, 2, 3, 7, 60, 450}) {
    SCOPED_TRACE(testing::Message() << parts << " parts");
    expect_rule_in_parts(GetParam(), rest, rule, parts);
  }
}

// ---- Layers that are unlike those that storms leave ----

TEST_P(EngineTest, BeginsWithALayerBelowZero) {
  // Impacts far outside fill a layer of large negative values up to nearly 0: roundings are left,
  // far larger than the values. Then up to a little less: there are peaks, and none is above 0.
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    Bombardment whole{2000 + below(random, 500), {{"far", {}}}};
    for (int i = 0; i < 100; ++i) {
      whole.storms[0].impacts.push_back({-1000 - below(random, 100'000), 1'000'000});
    }
    whole.initial = by_the_rule(whole).layer;
    for (float& cell : whole.initial) cell = -cell;
    expect_rule(GetParam(), whole, by_the_rule(whole));
    for (float& cell : whole.initial) cell *= 1 + 0x1p-19F;
    const oracle::Result below_0 = by_the_rule(whole);
    EXPECT_EQ(below_0.peaks.front().value, 0);
    expect_rule(GetParam(), whole, below_0);
  }
}

// The rule's sums become infinite, in a cell or in a relaxation, or just do not; the true ones are
// smaller.
TEST_P(EngineTest, BeginsWithALayerNearTheLargestNumber) {
  constexpr float largest = 3.4e38F;
  Bombardment whole = generated_at_random(9001, 2, 1000);
  std::vector<float>& layer = whole.initial;
  const auto expect_maxima = [&] {
    expect_rule(GetParam(), whole, by_the_rule(whole), false);  // no number equals NaN
  };
  layer.assign(9001, largest);
  expect_maxima();
  for (std::size_t k = 0; k < layer.size(); ++k) layer[k] = k % 3 == 1 ? -largest : largest;
  expect_maxima();
  for (std::size_t k = 0; k < layer.size(); ++k) layer[k] = static_cast<float>(k) * 1e34F;
  layer[5000] = largest;
  expect_maxima();
  layer.assign(layer.size(), 0.0F);
  layer[4500] = 0x1.8p125F;
  expect_maxima();
  // 3e38 + 3e38 - 3e38 is infinite in the rule; otherwise cell 8000 is the highest.
  layer[4500] = 0;
  layer[5000] = layer[5001] = 3e38F;
  layer[4999] = layer[5002] = -3e38F;
  layer[8000] = largest;
  layer[7998] = layer[8002] = -1e37F;
  expect_maxima();
}

// ---- Layers that outgrow a tile, a chip, and the integers that a float counts ----

// A fused engine takes a different tile shape for nearly every one of these sizes. The oracle takes
// longer than all engines.
using SlowLargeLayers = BackendTest;
TEST_F(SlowLargeLayers, FollowTheRule) {
  constexpr std::int64_t many = 40;
  std::vector<Bombardment> all{generated_at_random((1 << 24) + 50021, 2, 3),
                               generated_at_random(30'000, 1, 20'000),
                               generated_at_random(120011, many, 5)};
  for (const int edition : {1, 2}) {
    all.push_back(generated_at_random(2999, 3, 5003));
    all.back().rule.edition = edition;
  }
  for (const std::int64_t cells : {30011, 60013, 125003, 250007, 400009, 600011, 900001, 1000003}) {
    all.push_back(generated_at_random(cells, 3, 37));
  }
  for (const Bombardment& made : all) {
    const oracle::Result rule = by_the_rule(made);
    for (const EngineUnderTest& engine : engines_under_test()) {
      SCOPED_TRACE(engine.name + ", " + told(made));
      expect_rule(engine, made, rule);
      if (std::ssize(made.storms) < many) continue;
      expect_rule(engine, made, rule, false);
      expect_rule_in_parts(engine, made, rule, 3);
    }
  }
}

}  // namespace
}  // namespace bombard
