// Every engine against the oracle where layers outgrow a tile, a chip, and the integers that a
// float counts: a fused engine takes another tile shape at nearly every one of these sizes.

#include <gtest/gtest.h>

#include "tests/sim/engines/generated.hpp"

namespace {

using LargeLayers = EngineTest;
INSTANTIATE_TEST_SUITE_P(Engines, LargeLayers, testing::ValuesIn(engines_under_test()),
                         engine_name);

TEST_P(LargeLayers, ManyImpactsOnFewCells) {
  Bombardment many = generated_at_random(2999, 3, 5003);
  expect_rule(GetParam(), many, by_the_rule(many));
  many.rule.edition = 1;
  expect_rule(GetParam(), many, by_the_rule(many));
}

TEST_P(LargeLayers, EveryTileShape) {
  for (const std::int64_t cells : {30011, 60013, 125003, 250007, 400009, 600011, 900001, 1000003}) {
    const Bombardment made = generated_at_random(cells, 3, 37);
    expect_rule(GetParam(), made, by_the_rule(made));
  }
}

TEST_P(LargeLayers, MoreStormsThanABatch) {
  const Bombardment made = generated_at_random(120011, 40, 5);
  const oracle::Result rule = by_the_rule(made);
  expect_rule(GetParam(), made, rule);
  expect_rule(GetParam(), made, rule, 7, false);
  expect_rule_in_parts(GetParam(), made, rule, 3);
}

TEST_P(LargeLayers, DistancesBeyondTheIntegersOfAFloat) {
  const Bombardment made = generated_at_random((1 << 24) + 50021, 2, 3);
  expect_rule(GetParam(), made, by_the_rule(made));
}

}  // namespace
