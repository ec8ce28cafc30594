#include "kernels/share/attenuation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/share/divisor_table.hpp"
#include "tests/attenuations.hpp"

namespace bombard {
namespace {

// A root s of n is right if n lies between the squares of the midpoints between s and its
// neighbours. Midpoints have 25 bits, so that binary64 holds their squares exactly. Every integer
// of a float is tested, and so are those of the table.
TEST(DivisorTable, HasTheCorrectlyRoundedRootOfEveryIntegerOfAFloat) {
  const cpu::DivisorTable table(cpu::DivisorTable::most);
  std::int64_t wrong = 0;
  for (std::int64_t n = 1; n <= std::int64_t{1} << 24; ++n) {
    const float root = std::sqrt(static_cast<float>(n));
    const double below = (static_cast<double>(root) + std::nextafter(root, 0.0F)) / 2;
    const double above = (static_cast<double>(root) + std::nextafter(root, 1e9F)) / 2;
    const auto exact = static_cast<double>(n);
    wrong += !(below * below < exact && exact < above * above);
    if (n > table.farthest() + 1) continue;
    wrong += table.middle()[n - 1] != root || table.middle()[1 - n] != root;
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Attenuation, IsAsInLongDouble) {
  for (const Attenuation& attenuation : sample_attenuations()) {
    SCOPED_TRACE(name_of(attenuation));
    EXPECT_TRUE(is_there(attenuation));
    for (const double n : {1.0, 2.0, 77.0, 1e5}) {
      const double value = attenuated(attenuation, n);
      const long double exact = attenuated_in_long_double(attenuation, n);
      EXPECT_NEAR(static_cast<double>(value - exact), 0, 1e-12 * static_cast<double>(exact));
    }
  }
}

TEST(Attenuation, HasANameByItsNumbers) {
  EXPECT_EQ(name_of({8}), "power:8");
  EXPECT_EQ(name_of({0, 0.25}), "exponential:0.25");
  EXPECT_EQ(name_of({0.5, 20}), "damped:0.5:20");
}

}  // namespace
}  // namespace bombard
