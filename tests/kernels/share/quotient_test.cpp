// The proof that shares are correctly rounded where the AVX-512 loop goes round the divider
// (kernels/share/quotient_avx512.hpp), and that the table's roots are.
//
// Scaling by a power of two changes no rounding, so the significands b of the divisor and a of the
// energy, integers of 24 bits, are all that matters. With r = RN(1/b) and q = RN(a r), the
// corrected quotient before its rounding is a/b + (a/b - q)(r b - 1). In units of q's last place
// |a/b - q| is below 1.5, |r b - 1| is at most b 2^-48, and what the remainder a - q b loses when
// it needs a 25th bit is at most 1.5 * 2^-24. So the result can only be wrong where a/b is within 3
// * 2^-24 units of the middle m of two floats. There a 2^K - b m = R, with m an odd integer of 25
// bits, has |R| <= 6: few a for each b, found by a modular inverse.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "kernels/base/instruction_set.hpp"
#include "kernels/layer/update.hpp"
#include "kernels/share/attenuation.hpp"
#include "kernels/share/divisor_table.hpp"

using namespace bombard;

namespace {

constexpr std::int64_t least = std::int64_t{1} << 23;  // the 24-bit significands
constexpr std::int64_t most = (std::int64_t{1} << 24) - 1;

/// Calls check(a) for every a of 24 bits with a 2^K - b m = R, 0 < |R| <= 8, m odd and of 25 bits.
template <class Check>
void for_hard_numerators(std::int64_t b, const Check& check) {
  const int twos = std::countr_zero(static_cast<std::uint64_t>(b));
  if (twos > 3) return;  // R is an odd multiple of 2^twos
  const auto odd = static_cast<std::uint32_t>(b >> twos);
  std::uint32_t inverse = odd;  // modulo 2^32, by Newton: 3, 6, 12, 24, 48 right bits
  for (int i = 0; i < 4; ++i) inverse *= 2 - odd * inverse;
  for (const int K : {24, 25}) {  // a >= b, a < b
    const std::int64_t period = std::int64_t{1} << (K - twos);
    for (std::int64_t R = -8; R <= 8; ++R) {
      if (R % (1 << twos) != 0 || R / (1 << twos) % 2 == 0) continue;
      const auto smallest_m = static_cast<std::uint32_t>(-(R >> twos)) * inverse &
                              static_cast<std::uint32_t>(period - 1);
      for (std::int64_t m = smallest_m; m < 2 * (most + 1); m += period) {
        const std::int64_t a = (b * m + R) >> K;
        const bool in_range = a >= least && a <= most && (a >= b) == (K == 24);
        if (m > most && m % 2 == 1 && in_range) check(a);
      }
    }
  }
}

/// quotient_avx512.hpp in one lane, from the reciprocal on.
float corrected(float energy, float divisor, float reciprocal) {
  const float q = energy * reciprocal;
  return std::fma(std::fma(-q, divisor, energy), reciprocal, q);
}

}  // namespace

// The processor's estimate has a relative error below 2^-14, so after one step it is below
// 2^-28 + 2^-38 before rounding: the result is one of the two floats around 1/b. The second step
// gives RN(1/b) from either.
TEST(Quotient, NewtonsStepGivesTheRoundedReciprocal) {
  std::int64_t wrong = 0;
  for (std::int64_t b = least; b < most; ++b) {
    const auto divisor = static_cast<float>(b);
    const float reciprocal = 1.0F / divisor;
    const bool below = std::fma(-divisor, reciprocal, 1.0F) > 0;
    const float across = std::nextafter(reciprocal, below ? 1.0F : 0.0F);
    for (const float start : {reciprocal, across}) {
      wrong += std::fma(std::fma(-divisor, start, 1.0F), start, start) != reciprocal;
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Quotient, TheCorrectedQuotientIsRightForEveryHardEnergyOfEveryDivisor) {
  std::int64_t checked = 0;
  std::int64_t wrong = 0;
  for (std::int64_t b = least; b < most; ++b) {
    const auto divisor = static_cast<float>(b);
    const float reciprocal = 1.0F / divisor;
    for_hard_numerators(b, [&](std::int64_t a) {
      const auto energy = static_cast<float>(a);
      wrong += corrected(energy, divisor, reciprocal) != energy / divisor;
      ++checked;
    });
  }
  EXPECT_GT(checked, 40'000'000);
  EXPECT_EQ(wrong, 0);
}

// A root s of n is right when n lies between the squares of the middles to s's neighbours, which
// have 25 bits, so that binary64 holds their squares exactly. Those of the table, and none of them
// has the significand of all ones, and those of every other integer of a float.
TEST(SquareRootLaw, IsCorrectlyRoundedForEveryIntegerOfAFloat) {
  const cpu::DivisorTable table(SquareRootLaw{}, cpu::DivisorTable::most);
  std::int64_t wrong = 0;
  for (std::int64_t n = 1; n <= most + 1; ++n) {
    const float root = SquareRootLaw::divisor(static_cast<float>(n));
    const double below = (static_cast<double>(root) + std::nextafter(root, 0.0F)) / 2;
    const double above = (static_cast<double>(root) + std::nextafter(root, 1e9F)) / 2;
    const auto exact = static_cast<double>(n);
    wrong += !(below * below < exact && exact < above * above);
    if (n > table.farthest() + 1) continue;
    wrong += table.middle()[n - 1] != root || table.middle()[1 - n] != root;
    wrong += (std::bit_cast<std::uint32_t>(root) & 0x7fffff) == 0x7fffff;
  }
  EXPECT_EQ(wrong, 0);
}

constexpr LayerRule<SquareRootLaw> rule{{}, {1, 1}, 0};

// The loop itself, on this processor: cells whose vector goes round the divider, at the energies
// that are hard for them.
TEST(Quotient, TheLoopAddsTheRightShareForHardEnergies) {
  constexpr std::int64_t farthest = std::int64_t{1} << 22;
  const cpu::DivisorTable table(SquareRootLaw{}, farthest + 512);
  std::int64_t wrong = 0;
  std::vector<float> layer(256);
  // Every distance of small layers, then every 13th, so that all lanes take part.
  for (std::int64_t d = 0; d < farthest; d += d < 40'000 ? 1 : 13) {
    const float divisor = table.middle()[d];
    int exponent = 0;
    const auto b = static_cast<std::int64_t>(std::ldexp(std::frexp(divisor, &exponent), 24));
    for_hard_numerators(b, [&](std::int64_t a) {
      const auto energy = static_cast<float>(a);
      const std::size_t cell = 16 * 4 * (static_cast<std::size_t>(a) % 4) + 48 + (d % 16);
      const std::vector<ScaledImpact> impact{{static_cast<std::int64_t>(cell) - d, energy}};
      std::ranges::fill(layer, 0.0F);
      cpu::update(rule, impact, true, 0, table, layer);
      wrong += layer[cell] != energy / divisor;
    });
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Quotient, TheLoopAddsTheRightShareForRandomEnergies) {
  constexpr std::int64_t cells = 4096;
  const cpu::DivisorTable table(SquareRootLaw{}, std::int64_t{1} << 22);
  std::mt19937_64 bits(1);
  std::int64_t wrong = 0;
  std::vector<float> layer(cells);
  for (int i = 0; i < 4000; ++i) {
    const auto thousands = static_cast<std::int32_t>(bits());
    const float energy =
        energy_scale({}, 1 + static_cast<std::int64_t>(bits() % 100'000'000))(thousands);
    const auto position = static_cast<std::int64_t>(bits() % (1U << 21)) - (1 << 20);
    std::ranges::fill(layer, 0.0F);
    cpu::update(rule, std::vector<ScaledImpact>{{position, energy}}, true, 0, table, layer);
    for (std::int64_t k = 0; k < cells; ++k) {
      const auto n = static_cast<float>(std::abs(position - k) + 1);
      wrong += layer[static_cast<std::size_t>(k)] != energy / std::sqrt(n);
    }
  }
  EXPECT_EQ(wrong, 0);
}
