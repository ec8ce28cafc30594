// The proof of kernels/layer/quotient_avx512.hpp. Scaling by a power of two changes no rounding, so
// that the significands of energy and divisor are all that matters. With r = RN(1/b) and q =
// RN(a r) the corrected quotient is off, before its rounding, by at most 1.5 (2^-24 + 2^-24) units
// of its last place: 6 steps of visit_hard_numerators().

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/layer/update.hpp"
#include "tests/kernels/share/hard_quotients.hpp"
#include "tests/solvers/backend.hpp"

namespace bombard::tests {
namespace {

constexpr float least = 1 << 23, all_ones = (1 << 24) - 1;  // as integers, every significand

float after_a_step(float divisor, float reciprocal) {
  return std::fma(std::fma(-divisor, reciprocal, 1.0F), reciprocal, reciprocal);
}

// The processor's estimate is off by less than 2^-14, after one step by less than 2^-28 and a
// rounding: this is one of the two floats around 1/b. The second step makes RN(1/b) of either.
TEST(Quotient, NewtonsSecondStepGivesTheRoundedReciprocal) {
  std::int64_t wrong = 0;
  for (float divisor = least; divisor < all_ones; ++divisor) {
    const float reciprocal = 1 / divisor;
    const bool below = std::fma(-divisor, reciprocal, 1.0F) > 0;
    const float across = std::nextafter(reciprocal, below ? 1.0F : 0.0F);
    wrong += after_a_step(divisor, reciprocal) != reciprocal;
    wrong += after_a_step(divisor, across) != reciprocal;
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Quotient, IsRightForEveryDivisorAndEveryHardNumerator) {
  std::int64_t tried = 0, wrong = 0;
  for (float divisor = least; divisor < all_ones; ++divisor) {
    const float reciprocal = 1 / divisor;
    visit_hard_numerators(divisor, 8, [&](float energy) {
      const float q = energy * reciprocal;
      wrong += std::fma(std::fma(-q, divisor, energy), reciprocal, q) != energy / divisor;
      ++tried;
    });
  }
  EXPECT_GT(tried, 40'000'000);
  EXPECT_EQ(wrong, 0);
}

class QuotientsOfLoop : public BackendTest {};
INSTANTIATE_TEST_SUITE_P(On, QuotientsOfLoop, testing::ValuesIn(backends()), name_of_backend);

// The loop itself, in every vector of a row: no root of a table is all ones.
TEST_P(QuotientsOfLoop, AreRightForHardEnergiesOfRoots) {
  constexpr std::int64_t cells = 256, farthest = cpu::DivisorTable::most;
  constexpr LayerRule<SquareRootLaw> rule{{}, {1, 1}, 0};
  const cpu::DivisorTable table(rule.law, farthest);
  std::vector<float> layer(cells);
  std::int64_t tried = 0, wrong = 0;
  // Every distance of small layers, and then one in 61.
  for (std::int64_t d = 0; d < farthest - cells; d += d < 20'000 ? 1 : 61) {
    visit_hard_numerators(table.middle()[d], 8, [&](float energy) {
      const std::int64_t cell = tried++ % cells;
      const std::vector<ScaledImpact> impact{{cell - d, energy, ScaledImpact::any}};
      std::ranges::fill(layer, 0.0F);
      cpu::update(rule, impact, true, 0, table, std::span(layer));
      wrong += layer[static_cast<std::size_t>(cell)] != energy / table.middle()[d];
    });
  }
  EXPECT_GT(tried, 300'000);
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace bombard::tests
