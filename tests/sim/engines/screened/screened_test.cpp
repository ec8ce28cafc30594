// Fast engines: the rule's maxima to the last bit, from cases chosen to be hard for them.

#include "sim/engines/screened/screened.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/sim/engines/generated.hpp"

namespace bombard {
namespace {

std::vector<EngineUnderTest> fast_engines_under_test() {
  std::vector<EngineUnderTest> engines = first_of_each(engines_under_test());
  std::erase_if(engines, [](const auto& engine) { return engine.entry->method != Method::fast; });
  return engines;
}

class Fast : public EngineTest {
 protected:
  static void expect_rule_and(std::int64_t most_direct, const Bombardment& bombardment,
                              std::int64_t most_candidates = 1'000'000) {
    std::int64_t direct = 0, candidates = 0;
    for (const Evidence& evidence :
         expect_rule(GetParam(), bombardment, by_the_rule(bombardment))) {
      direct += evidence.direct;
      candidates += evidence.direct ? 0 : evidence.candidates;
    }
    EXPECT_LE(direct, most_direct);
    EXPECT_LE(candidates, most_candidates);
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, Fast, testing::ValuesIn(fast_engines_under_test()), engine_name);

TEST_P(Fast, MaximaOfEachKindAreTheRules) {
  for (const StormKind& kind : storm_kinds()) {
    std::int64_t storms = 0, direct = 0;
    for (std::uint64_t seed = 1; seed <= cases(250); ++seed) {
      Random random(seed);
      const Bombardment bombardment = generated_of_kind(random, kind);
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << told(bombardment));
      const oracle::Result rule = by_the_rule(bombardment);
      const std::vector<Evidence> evidence = expect_rule(GetParam(), bombardment, rule);
      ASSERT_EQ(evidence.size(), bombardment.storms.size());
      storms += std::ssize(evidence);
      direct += std::ranges::count_if(evidence, &Evidence::direct);
      if (seed % 4 == 0) {
        expect_rule_in_parts(GetParam(), bombardment, rule, 1 + below(random, 5));
      }
      if (HasFailure()) return;
    }
    // Storms that go direct say nothing about screening.
    EXPECT_LE(static_cast<double>(direct), kind.most_direct * static_cast<double>(storms))
        << kind.name;
  }
}

TEST_P(Fast, ALargeLayerWithManyStorms) {
  expect_rule_and(0, generated_at_random(60'000, 12, 100), 12 * 20);
}

TEST_P(Fast, AStormOfWhichNotEveryShareCountsIsForADirectEngine) {
  // Energy 1 counts up to n = (1000/T)^2: with T = 100 that is 100 cells.
  const Bombardment made{1000, {{"near", {{500, 2000}}}, {"far", {{300, 1}}}}, {.threshold = 100}};
  const auto evidence = expect_rule(GetParam(), made, by_the_rule(made));
  EXPECT_FALSE(evidence[0].direct);
  EXPECT_TRUE(evidence[1].direct);
  EXPECT_STREQ(evidence[1].why, "not every share counts");
}

TEST_P(Fast, StormsWithoutNumber) {
  // The cells that the last storm needs go down through all of them.
  Bombardment bombardment{50, std::vector<Storm>(31'000, Storm{"nothing", {}})};
  bombardment.storms.push_back({"one", {{25, 800}}});
  expect_rule_and(std::ssize(bombardment.storms), bombardment);
}

TEST_P(Fast, FarCandidatesAfterManyStorms) {
  // Each candidate needs a cone of thousands of cells, down through the storms without impacts.
  Bombardment bombardment = generated_at_random(20'000, 1, 2000);
  bombardment.storms.resize(800, Storm{"nothing", {}});
  for (std::int64_t i = 0; i < 20; ++i) {
    bombardment.storms.push_back({"far", {{500 + i * 950, 100'000'000}}});
  }
  expect_rule_and(std::ssize(bombardment.storms), bombardment);
}

}  // namespace
}  // namespace bombard
