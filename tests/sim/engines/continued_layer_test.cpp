// Engines that begin with a layer: a run cut after any storm and continued is the whole run.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/sim/engines/generated.hpp"
#include "tests/sim/engines/layer_of.hpp"

namespace {

using bombard::EngineOptions;
using bombard::Maximum;
using bombard::Storm;

Storm random_storm(Random& random, std::int64_t cells, std::int64_t impacts, bool outside) {
  const bool both_signs = below(random, 4) == 0;
  const std::int64_t from = outside ? -cells : 0, to = outside ? 2 * cells : cells;
  return {"random", random_impacts(random, impacts, from, to, both_signs)};
}

Bombardment random_bombardment(Random& random, bool outside) {
  constexpr std::array<std::int64_t, 10> sizes{1, 2, 3, 31, 64, 191, 500, 997, 2048, 4099};
  Bombardment bombardment{one_of(random, sizes), {}};
  bombardment.rule.edition = 1 + static_cast<int>(below(random, 2));
  if (bombardment.rule.edition == 1) bombardment.rule.threshold = 3000;
  for (std::int64_t i = 1 + below(random, 6); i >= 0; --i) {
    bombardment.storms.push_back(
        random_storm(random, bombardment.cells, below(random, 60), outside));
  }
  return bombardment;
}

using ContinuedLayer = EngineTest;
INSTANTIATE_TEST_SUITE_P(Engines, ContinuedLayer, testing::ValuesIn(widest(engines_under_test())),
                         engine_name);
INSTANTIATE_TEST_SUITE_P(SlowEngines, ContinuedLayer,
                         testing::ValuesIn(narrower(engines_under_test())), engine_name);

TEST_P(ContinuedLayer, IsThatOfTheWholeRun) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Bombardment whole = random_bombardment(random, true);
    const oracle::Result rule = by_the_rule(whole);
    const std::int64_t parts = 1 + below(random, 3);
    for (std::size_t cut = 0; cut <= whole.storms.size(); ++cut) {
      const Bombardment rest = after_storms(whole, cut);
      const std::vector<oracle::Peak> peaks(rule.peaks.begin() + cut, rule.peaks.end());
      expect_rule(GetParam(), rest, {peaks, rule.layer});
      expect_rule_in_parts(GetParam(), rest, {peaks, rule.layer}, parts);
      ASSERT_FALSE(HasFailure()) << "cut " << cut;
    }
  }
}

TEST_P(ContinuedLayer, MayBeginBelowZero) {
  // Impacts far outside fill a layer of large negative values up to nearly 0: roundings are left,
  // far larger than the values.
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
  }
}

// The rule's sums become infinite, in a cell or in a relaxation, or just do not; the true ones are
// smaller.
TEST_P(ContinuedLayer, MayBeginNearTheLargestNumber) {
  constexpr float largest = 3.4e38F;
  Random random(10);
  Bombardment whole{9001, {}};
  for (int i = 0; i < 2; ++i) whole.storms.push_back(random_storm(random, 9001, 1000, true));
  std::vector<float>& layer = whole.initial;
  const auto expect_maxima = [&] {
    expect_rule(GetParam(), whole, by_the_rule(whole), 1, false);  // no number equals NaN
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

TEST_P(ContinuedLayer, ServesManyStormsInParts) {
  // A candidate needs a cell more on either side for each storm, as far as the layer is known.
  Random random(6);
  Bombardment whole{900, {}};
  for (int i = 0; i < 60; ++i) whole.storms.push_back(random_storm(random, 900, 3, false));
  const Bombardment rest = after_storms(whole, 20);
  const oracle::Result rule = by_the_rule(rest);
  for (const std::int64_t parts : {1, 2, 3, 7, 60, 450}) {
    SCOPED_TRACE(testing::Message() << parts << " parts");
    expect_rule_in_parts(GetParam(), rest, rule, parts);
  }
}

TEST_P(ContinuedLayer, ResetIsALayerOfZeroAgain) {
  Random random(9);
  const Bombardment whole = random_bombardment(random, false);
  const auto engine = GetParam().make(options_for(whole));
  engine->dense()->begin_with(std::vector<float>(static_cast<std::size_t>(whole.cells), 1e9F));
  engine->reset();
  EXPECT_EQ(written(engine->apply(whole.storms)), written(by_the_rule(whole).peaks));
}

class ContinuedLayerInDouble : public EngineTest {};
INSTANTIATE_TEST_SUITE_P(Engines, ContinuedLayerInDouble,
                         testing::ValuesIn(double_engines_under_test()), engine_name);

/// Impacts beyond the layer would change which tables the convolution takes, and with them last
/// bits.
TEST_P(ContinuedLayerInDouble, IsTheWholeRunBitForBit) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Bombardment whole = random_bombardment(random, false);
    const auto make = [&](std::size_t storms) {
      EngineOptions options = options_for(whole);
      options.storms = static_cast<std::int64_t>(storms);
      return GetParam().make(options);
    };
    const auto at_once = make(whole.storms.size());
    const std::vector<Maximum> maxima = at_once->apply(whole.storms);
    for (std::size_t cut = 1; cut < whole.storms.size(); ++cut) {
      const auto before = make(cut);
      before->apply(std::span(whole.storms).first(cut));
      const auto after = make(whole.storms.size() - cut);
      after->dense()->begin_with(std::span<const double>(layer_in_double_of(*before)));
      const std::vector<Maximum> rest(maxima.begin() + cut, maxima.end());
      ASSERT_EQ(after->apply(std::span(whole.storms).subspan(cut)), rest) << "cut " << cut;
      ASSERT_EQ(layer_in_double_of(*after), layer_in_double_of(*at_once)) << "cut " << cut;
    }
  }
}

}  // namespace
