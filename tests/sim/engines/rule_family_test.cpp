// The members of the rule's family: every engine against the oracle on generated layers and storms,
// seeded: the same cases on every machine. BOMBARD_CASES says how many random cases each engine
// runs (CONTRIBUTING.md).

#include <gtest/gtest.h>

#include "tests/sim/engines/generated.hpp"
#include "tests/sim/engines/layer_of.hpp"

namespace {

class RuleFamily : public EngineTest {};
INSTANTIATE_TEST_SUITE_P(Engines, RuleFamily, testing::ValuesIn(engines_under_test()), engine_name);

TEST_P(RuleFamily, SlowGeneratedCasesFollowTheRule) {
  for (std::uint64_t seed = 1; seed <= cases(200); ++seed) {
    Random random(seed);
    const Bombardment bombardment = generated_of_family(random);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << told(bombardment));
    const oracle::Result rule = by_the_rule(bombardment);
    expect_rule(GetParam(), bombardment, rule);
    expect_rule(GetParam(), bombardment, rule, 1 + below(random, 5), below(random, 2) == 0,
                static_cast<int>(1 + below(random, 3)));
    expect_rule_in_parts(GetParam(), bombardment, rule, 2 + below(random, 4));
    if (HasFailure()) return;
  }
}

// e = 1000 v / 5 = 200 v in the second edition, v / 1000 in the first.
TEST_P(RuleFamily, ByHand) {
  const std::vector<bombard::Storm> storms{{"a", {{2, 36}}}};
  const auto layer = [&](bombard::Edition edition, double power, float threshold) {
    const auto engine = GetParam().make(
        {.part = bombard::whole_layer(5), .storms = 1, .rule = {edition, {power}, threshold}});
    engine->apply(storms);
    return layer_of(*engine);
  };
  using enum bombard::Edition;
  // Shares 7200 / n: 2400, 3600, 7200, 3600, 2400; the neighbours' means.
  EXPECT_EQ(layer(second, 1, 0), (std::vector<float>{2400, 4400, 4800, 4400, 2400}));
  // 7200 / n^2: 800, 1800, 7200; 800 does not count when T / 5 is 801.
  EXPECT_EQ(layer(second, 2, 4000), (std::vector<float>{800, 9800 / 3.0F, 3600, 9800 / 3.0F, 800}));
  EXPECT_EQ(layer(second, 2, 4005), (std::vector<float>{0, 3000, 3600, 3000, 0}));
  // 0.036, 0.018, 0.012 by 1 / n; T is not divided by the cells: 0.012 does not count.
  const std::vector<float> first_edition = layer(first, 1, 0.0121F);
  EXPECT_EQ(first_edition[0], 0);
  EXPECT_FLOAT_EQ(first_edition[1], 0.018F);
  EXPECT_FLOAT_EQ(first_edition[2], 0.024F);
}

}  // namespace
