// Sums by counting, and one by one, against the rule in a few lines: every bit of every cell is
// compared.

#include "kernels/counting/counting.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "kernels/layer/update.hpp"
#include "tests/kernels/layer/by_the_rule.hpp"
#include "tests/random_storms.hpp"

using namespace bombard;

namespace {

/// Impacts that are added to a layer, whose values before are `layer`.
struct CountedCase {
  std::vector<ScaledImpact> impacts = {};
  std::vector<float> layer = {};
  std::int64_t first = 0;
  float smallest = 0;
  std::int64_t farthest_divisor = 500;  ///< in a table, if there is one
};

/// The layer after the impacts have been added in each way that there is: with tests of the shares
/// and, where every share counts, without, and by counting.
std::vector<std::vector<float>> added(const CountedCase& given) {
  const LayerRule rule{{1, 1}, given.smallest};
  const auto table =
      given.farthest_divisor < 0 ? cpu::DivisorTable() : cpu::DivisorTable(given.farthest_divisor);
  std::vector<std::vector<float>> layers;
  const auto next = [&] { return std::span(layers.emplace_back(given.layer)); };
  cpu::update(rule, given.impacts, false, given.first, table, next());
  if (given.smallest > 0) return layers;
  cpu::update(rule, given.impacts, true, given.first, table, next());
  const auto memory = std::make_unique<cpu::CountingMemory>();
  cpu::update_by_counting(rule, given.impacts, given.first, table, next(), *memory);
  return layers;
}

void expect_the_rule(const CountedCase& given, const std::string& name) {
  const auto expected =
      bits_of(by_the_rule(given.impacts, given.smallest, given.first, given.layer));
  for (const std::vector<float>& found : added(given)) ASSERT_EQ(bits_of(found), expected) << name;
}

/// lowest .. highest
std::int64_t between(Random& random, std::int64_t lowest, std::int64_t highest) {
  return lowest + below(random, highest - lowest + 1);
}
bool one_in(Random& random, std::int64_t count) {
  return below(random, count) == 0;
}

/// Layers of either sign, with sums far above the shares, as after many impacts, or of 0; energies
/// of one sign or both, equal ones, powers of two (which often tie), very large and very small
/// ones.
CountedCase random_case(Random& random) {
  CountedCase made;
  // Some have more cells than the largest block, or more impacts than a list holds.
  const bool wide = one_in(random, 20), deep = !wide && one_in(random, 8);
  const std::int64_t cells = wide                ? between(random, 5000, 20000)
                             : one_in(random, 4) ? between(random, 1, 40)
                                                 : between(random, 1, deep ? 300 : 3000);
  const std::int64_t impacts = between(random, 1,
                                       deep                         ? 10000
                                       : !wide && one_in(random, 3) ? 3000
                                                                    : 400);
  made.first =
      one_in(random, 5) ? std::int64_t{1} << between(random, 20, 50) : between(random, 0, 99);
  const float sums = std::ldexp(1.0F, static_cast<int>(between(random, -2, 16)));
  const float scale =
      one_in(random, 6) ? std::ldexp(1.0F, static_cast<int>(between(random, -45, 45))) : 1.0F;
  const int signs = static_cast<int>(between(random, 0, 2));
  const bool equal = one_in(random, 6), powers = one_in(random, 4), from_0 = one_in(random, 8);
  const float sign_of_sums = one_in(random, 4) ? -1.0F : 1.0F;
  for (std::int64_t k = 0; k < cells; ++k) {
    const float sum = sums * (1 + static_cast<float>(between(random, 0, 1 << 20)) * 0x1p-24F);
    made.layer.push_back(from_0 ? 0.0F : sign_of_sums * sum * scale);
  }
  for (std::int64_t i = 0; i < impacts; ++i) {
    float energy = equal ? 3 : static_cast<float>(between(random, 1, 100));
    if (powers) energy = std::ldexp(1.0F, static_cast<int>(between(random, -20, 3)));
    if (signs == 1 || (signs == 2 && one_in(random, 2))) energy = -energy;
    if (one_in(random, 50)) energy = 0;
    const std::int64_t around = one_in(random, 10) ? 1 << 26 : 2 * cells;
    made.impacts.push_back(
        {made.first + between(random, -around, around + cells), energy * scale * 0x1p-4F});
  }
  if (one_in(random, 3)) {
    const float n = static_cast<float>(between(random, 2, 2000));
    made.smallest = std::fabs(made.impacts[0].energy / std::sqrt(n));
    if (one_in(random, 2)) made.smallest = std::nextafter(made.smallest, 1e30F);
  }
  made.farthest_divisor = one_in(random, 3) ? between(random, -1, 1) : between(random, 0, 5000);
  return made;
}

TEST(Counting, RandomCasesFollowTheRule) {
  for (std::uint64_t i = 0; i < cases(1000); ++i) {
    Random random(i);
    expect_the_rule(random_case(random), "case " + std::to_string(i));
    if (testing::Test::HasFatalFailure()) return;
  }
}

// Where floats and 32 bits stop counting.
TEST(Counting, AnyDistanceFollowsTheRule) {
  for (const int bits : {22, 24, 31, 53, 61}) {
    const std::int64_t far = std::int64_t{1} << bits;
    for (const auto& [first, middle] :
         {std::pair{std::int64_t{0}, far}, {0, -far}, {far, far}, {far - 265, 300}}) {
      Random random(1);
      CountedCase made{.layer = std::vector<float>(531, 0.125F), .first = first};
      for (int i = 0; i < 5; ++i) {
        const auto energy = static_cast<float>(between(random, -1'000'000, 1'000'000)) / 7000;
        made.impacts.push_back({middle + between(random, -300, 300), energy});
      }
      expect_the_rule(made, "2^" + std::to_string(bits));
    }
  }
  expect_the_rule({.layer = {2}}, "no impacts");
  expect_the_rule({.impacts = {{12, 12}}}, "no cells");
}

// So far away, the divisor is 2^14 in all of the 40 cells.
constexpr std::int64_t far_cells = 40, far_position = (1 << 28) + far_cells - 1;
constexpr float far_divisor = 0x1p14F;

CountedCase far_impacts(float sum, float sum_step, int impacts, float share) {
  CountedCase made;
  for (int k = 0; k < far_cells; ++k) {
    made.layer.push_back(sum + sum_step * static_cast<float>(k));
  }
  made.impacts.assign(static_cast<std::size_t>(impacts), {far_position, share * far_divisor});
  return made;
}

// From 2^23 on the unit is 1, and a share of 1/2 is a tie: the sum goes to the even neighbour. So
// 2^23 + 1 becomes 2^23 + 2, which stays as it is.
TEST(Counting, TiesGoToTheEvenNeighbour) {
  const CountedCase ties = far_impacts(0x1p23F + 1, 0, 1000, 0.5F);
  expect_the_rule(ties, "ties");
  for (const std::vector<float>& layer : added(ties)) EXPECT_EQ(layer[5], 0x1p23F + 2);
}

// Ties between shares of odd numbers of units.
TEST(Counting, TiesSeeWhatWasCountedBefore) {
  CountedCase ties = far_impacts(0x1p23F + 7, 2, 1000, 0.5F);
  for (std::size_t i = 0; i < ties.impacts.size(); i += 3) {
    ties.impacts[i].energy = static_cast<float>(i % 7) * far_divisor;
  }
  expect_the_rule(ties, "ties");
}

// Below a power of two units are half as large, above the next one twice as large.
TEST(Counting, SumsThatPassAPowerOfTwoByFewUnits) {
  for (const float sign : {1.0F, -1.0F}) {
    expect_the_rule(far_impacts(sign * 0x1p23F, sign, 20, -1.3F * sign), "the lower power");
    expect_the_rule(far_impacts(sign * (0x1p24F - 100), sign, 100, 0.6F * sign), "the upper power");
  }
}

// Estimated shares may lie on the other side of a tie.
TEST(Counting, SharesNextToTies) {
  CountedCase near;
  near.layer.assign(far_cells, 0x1p23F + 100);
  Random random(1);
  for (int i = 0; i < 3000; ++i) {
    const std::int64_t position = between(random, 1 << 27, (1 << 29) - 1);
    const float divisor = std::sqrt(static_cast<float>(position + 1));
    float energy = (static_cast<float>(between(random, 500, 2000)) + 0.5F) * divisor;
    for (std::int64_t step = between(random, 0, 3); step > 0; --step) {
      energy = std::nextafter(energy, i % 2 == 0 ? 0.0F : 1e30F);
    }
    near.impacts.push_back({position, energy});
  }
  expect_the_rule(near, "shares next to ties");
}

TEST(Counting, SumsThatLeaveTheirBinadeBothWays) {
  for (const float sign : {1.0F, -1.0F}) {
    CountedCase case_of_sums;
    for (int k = 0; k < 1000; ++k) {
      case_of_sums.layer.push_back(sign * (1024 + 0.01F * static_cast<float>(k % 7)));
    }
    for (int i = 0; i < 2500; ++i) {
      const float energy = (i / 300) % 2 == 0 ? -3.0F : 3.0F;
      case_of_sums.impacts.push_back({(i * 7919) % 2000 - 500, energy});
    }
    expect_the_rule(case_of_sums, "sums of sign " + std::to_string(sign));
  }
}

// Units of sums near 0 would not be normal numbers, and energies, 2^-60 to 2^60, are far above or
// below such sums.
TEST(Counting, SumsNear0AndNearTheLargestFloat) {
  for (const float sum : {0.0F, -0.0F, 1e-40F, 0x1p-101F, 0x1p-99F, 0x1p99F, 0x1p101F, 3e38F}) {
    CountedCase extreme;
    extreme.layer.assign(200, sum);
    for (int i = 0; i < 600; ++i) {
      const float energy = sum < 1 ? 0x1p-59F : 0x1p59F;
      extreme.impacts.push_back({i - 200, i % 3 == 0 ? -energy : energy});
    }
    expect_the_rule(extreme, "sums of " + std::to_string(sum));
  }
}

}  // namespace
