#include "kernels/share/attenuation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "kernels/share/divisor_table.hpp"
#include "tests/attenuations.hpp"

namespace bombard {
namespace {

// Within the roundings that the law states, without those of the quotient.
TEST(GeneralLaw, IsThePower) {
  for (int quarters = 1; quarters <= 16; ++quarters) {
    const GeneralLaw law{quarters};
    for (std::int64_t n = 1; n < std::int64_t{1} << 31; n += 1 + n / 50) {
      const double exact = std::pow(static_cast<double>(n), law.power());
      EXPECT_NEAR(law.divisor(static_cast<float>(n)) / exact, 1,
                  (GeneralLaw::roundings - 1) * 0x1p-24)
          << n << " ^ " << law.power();
    }
  }
}

TEST(GeneralLaw, DoesNotDecrease) {
  for (int quarters = 1; quarters <= 16; ++quarters) {
    const GeneralLaw law{quarters};
    float before = 0;
    for (float n = 1; n < 3e5F; ++n) {
      const float divisor = law.divisor(n);
      ASSERT_GE(divisor, before) << n;
      before = divisor;
    }
    EXPECT_GE(law.divisor(0x1p62F), before);
  }
}

TEST(GeneralLaw, OfTheSquareRootIsTheSame) {
  for (float n = 1; n < 1e5F; ++n) ASSERT_EQ(GeneralLaw{2}.divisor(n), SquareRootLaw::divisor(n));
}

// A root s of n is right if n lies between the squares of the midpoints between s and its
// neighbours. Midpoints have 25 bits, so that binary64 holds their squares exactly. Every integer
// of a float is tested, and so are those of the table.
TEST(SquareRootLaw, IsCorrectlyRoundedForEveryIntegerOfAFloat) {
  const cpu::DivisorTable table(SquareRootLaw{}, cpu::DivisorTable::most);
  std::int64_t wrong = 0;
  for (std::int64_t n = 1; n <= std::int64_t{1} << 24; ++n) {
    const float root = SquareRootLaw::divisor(static_cast<float>(n));
    const double below = (static_cast<double>(root) + std::nextafter(root, 0.0F)) / 2;
    const double above = (static_cast<double>(root) + std::nextafter(root, 1e9F)) / 2;
    const auto exact = static_cast<double>(n);
    wrong += !(below * below < exact && exact < above * above);
    if (n > table.farthest() + 1) continue;
    wrong += table.middle()[n - 1] != root || table.middle()[1 - n] != root;
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Attenuation, HasALawInSinglePrecision) {
  for (const auto& [power, quarters] : {std::pair(0.25, 1), {0.5, 2}, {3.0, 12}, {4.0, 16}}) {
    ASSERT_TRUE(GeneralLaw::of({power}));
    EXPECT_EQ(GeneralLaw::of({power})->quarters, quarters);
  }
  for (const double power : {0.3, 0.125, 4.25}) EXPECT_FALSE(GeneralLaw::of({power}));
  EXPECT_FALSE(GeneralLaw::of({0, 0.5}));
}

TEST(Attenuation, IsAsInLongDoubleAndComesToARatioAtItsDistance) {
  for (const Attenuation& attenuation : sample_attenuations()) {
    SCOPED_TRACE(name_of(attenuation));
    EXPECT_TRUE(is_there(attenuation));
    for (const double n : {1.0, 2.0, 77.0, 1e5}) {
      const double value = attenuated(attenuation, n);
      const long double exact = attenuated_in_long_double(attenuation, n);
      EXPECT_NEAR(static_cast<double>(value - exact), 0, 1e-12 * static_cast<double>(exact));
      if (value < 1e-280) continue;
      EXPECT_NEAR(attenuated(attenuation, distance_of(attenuation, 1 / value)), value,
                  1e-12 * value);
    }
  }
}

TEST(Attenuation, ByHand) {
  EXPECT_DOUBLE_EQ(attenuated({2}, 10), 0.01);
  EXPECT_EQ(attenuated({0, 5}, 1), 1);
  EXPECT_DOUBLE_EQ(attenuated({0, 5}, 11), std::exp(-2));
  EXPECT_DOUBLE_EQ(attenuated({2, 9}, 10), 0.01 * std::exp(-1));
  EXPECT_EQ(name_of({8}), "power:8");
  EXPECT_EQ(name_of({0, 0.25}), "exponential:0.25");
  EXPECT_EQ(name_of({0.5, 20}), "damped:0.5:20");
}

}  // namespace
}  // namespace bombard
