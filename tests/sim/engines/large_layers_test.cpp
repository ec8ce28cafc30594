// Every engine against the oracle where layers outgrow a tile, a chip, and the integers that a
// float counts: a fused engine takes another tile shape at nearly every one of these sizes.

#include <gtest/gtest.h>

#include "tests/sim/engines/generated.hpp"

namespace {

void expect_rule_of_every_engine(const Bombardment& made) {
  const oracle::Result rule = by_the_rule(made);
  for_every_engine([&](const EngineUnderTest& engine) { expect_rule(engine, made, rule); });
}

TEST(SlowLargeLayers, ManyImpactsOnFewCells) {
  Bombardment many = generated_at_random(2999, 3, 5003);
  expect_rule_of_every_engine(many);
  many.rule.edition = 1;
  expect_rule_of_every_engine(many);
}

TEST(SlowLargeLayers, EveryTileShape) {
  for (const std::int64_t cells : {30011, 60013, 125003, 250007, 400009, 600011, 900001, 1000003}) {
    expect_rule_of_every_engine(generated_at_random(cells, 3, 37));
  }
}

TEST(SlowLargeLayers, MoreStormsThanABatch) {
  const Bombardment made = generated_at_random(120011, 40, 5);
  const oracle::Result rule = by_the_rule(made);
  for_every_engine([&](const EngineUnderTest& engine) {
    expect_rule(engine, made, rule);
    expect_rule(engine, made, rule, 7, false);
    expect_rule_in_parts(engine, made, rule, 3);
  });
}

TEST(SlowLargeLayers, DistancesBeyondTheIntegersOfAFloat) {
  expect_rule_of_every_engine(generated_at_random((1 << 24) + 50021, 2, 3));
}

}  // namespace
