#include "kernels/layer/update.hpp"

#include "kernels/layer/update_work.hpp"
#include "kernels/share/attenuation.hpp"
#include "tests/kernels/layer/by_the_rule.hpp"
#include "tests/random_storms.hpp"
#include "tests/solvers/backend.hpp"

using namespace bombard;

namespace {

constexpr float never_bites = 0.0F;

LayerRule<SquareRootLaw> rule(float smallest) {
  return {{}, {1, 1}, smallest};
}

/// With computed divisors and with tables that go to several distances; with a test of each share
/// and, if that is known to be unnecessary, without one.
void expect_rule(const std::vector<ScaledImpact>& impacts, float smallest, std::int64_t first,
                 std::int64_t cells) {
  const std::vector<float> start(static_cast<std::size_t>(cells), 0.125F);
  const auto expected = bits_of(by_the_rule(impacts, smallest, first, start));
  for (const bool all_count : {false, true}) {
    if (all_count && smallest > 0) continue;
    for (const std::int64_t farthest : {-1, 0, 1, 700, 5000}) {
      const auto table =
          farthest < 0 ? cpu::DivisorTable() : cpu::DivisorTable(SquareRootLaw{}, farthest);
      std::vector<float> layer = start;
      cpu::update(rule(smallest), impacts, all_count, first, table, layer);
      EXPECT_EQ(bits_of(layer), expected)
          << cells << " cells from " << first << ", table up to " << farthest;
    }
  }
}

/// Random impacts on cells lowest .. highest.
std::vector<ScaledImpact> scaled_impacts(std::int64_t count, std::int64_t lowest,
                                         std::int64_t highest, std::uint64_t seed) {
  Random random(seed);
  std::vector<ScaledImpact> impacts;
  for (const auto& [position, energy] : random_impacts(random, count, lowest, highest + 1, true)) {
    impacts.push_back({position, static_cast<float>(energy) / 7000});
  }
  return impacts;
}

}  // namespace

class Update : public BackendTest {};
INSTANTIATE_TEST_SUITE_P(On, Update, testing::ValuesIn(backends()), name_of_backend);

// Distances 3, 2, 1, 2, 3, 4 and energy 12: the root of 4 is 2, the root of 1 is 1.
TEST_P(Update, ByHand) {
  std::vector<float> layer(6, 1.0F);
  cpu::update(rule(never_bites), std::vector<ScaledImpact>{{12, 12.0F}}, true, 10, {}, layer);
  EXPECT_FLOAT_EQ(layer[0], 1 + 6.928203F);
  EXPECT_FLOAT_EQ(layer[1], 1 + 8.485281F);
  EXPECT_EQ(layer[2], 13.0F);
  EXPECT_FLOAT_EQ(layer[3], 1 + 8.485281F);
  EXPECT_FLOAT_EQ(layer[4], 1 + 6.928203F);
  EXPECT_EQ(layer[5], 7.0F);
}

TEST_P(Update, TheSmallestShareItselfCounts) {
  std::vector<float> layer(5, 0.0F);
  const std::vector<ScaledImpact> impacts{{0, 12.0F}, {0, -12.0F}, {0, 12.0F}};
  cpu::update(rule(6.0F), impacts, false, 0, {}, layer);
  EXPECT_EQ(layer[3], 6.0F);
  EXPECT_EQ(layer[4], 0.0F);
}

TEST_P(Update, NothingToAddOrNoCells) {
  std::vector<float> layer(5, 2.0F);
  cpu::update(rule(never_bites), {}, true, 0, {}, layer);
  EXPECT_EQ(layer, std::vector<float>(5, 2.0F));
  cpu::update(rule(never_bites), std::vector<ScaledImpact>{{0, 12.0F}}, true, 0, {}, {});
}

TEST_P(Update, AwkwardSizes) {
  for (std::int64_t cells = 1; cells < 330; cells += cells < 70 ? 1 : 13) {
    expect_rule(scaled_impacts(9, -100, 500, 1), never_bites, 0, cells);
    expect_rule(scaled_impacts(9, -100, 500, 2), never_bites, 31, cells);
  }
  expect_rule(scaled_impacts(23, 0, 4098, 3), never_bites, 0, 4099);
}

TEST_P(Update, ThresholdsThatBite) {
  for (const float smallest : {0.5F, 3.0F, 20.0F, 1e9F}) {
    expect_rule(scaled_impacts(23, -200, 1300, 4), smallest, 0, 1025);
  }
}

TEST_P(Update, WhereFloatsAnd32BitsStopCounting) {
  for (const std::int64_t far :
       {std::int64_t{1} << 22, std::int64_t{1} << 24, std::int64_t{1} << 31, std::int64_t{1} << 53,
        std::int64_t{1} << 61}) {
    expect_rule(scaled_impacts(5, far - 300, far + 300, 5), never_bites, 0, 531);
    expect_rule(scaled_impacts(5, -far - 300, -far + 300, 6), never_bites, 0, 531);
    expect_rule(scaled_impacts(5, far - 300, far + 300, 7), never_bites, far, 531);
    expect_rule(scaled_impacts(5, 0, 600, 8), never_bites, far - 265, 531);
  }
}
