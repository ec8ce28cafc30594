// Engines in double precision against the reference of `bombard validate`, which adds all shares up
// in long double, and against the fast Fourier transform where those would take too long.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <unsupported/Eigen/FFT>

#include "kernels/share/attenuation.hpp"
#include "sim/engines/screened/screening.hpp"
#include "sim/validation.hpp"
#include "tests/attenuations.hpp"
#include "tests/sim/engines/generated.hpp"
#include "tests/sim/engines/layer_of.hpp"

namespace {

using bombard::CellRange;
using bombard::Impact;
using bombard::Maximum;
using bombard::part_of_layer;
using bombard::ReferenceInDouble;
using bombard::Storm;

// A fraction of the sum of the shares' magnitudes, as docs/methods.md states.
constexpr double tolerance = 5e-12;

/// The layer and the maximum after a storm are the reference's within the tolerance, and the
/// maximum is the layer's own, or none where that is within the error of shares that end.
void expect_reference(const Storm& storm, const bombard::Answer& answer, const bombard::Rule& rule,
                      ReferenceInDouble& reference) {
  const bombard::StormComparison compared = compare(storm, answer, reference);
  ASSERT_EQ(compared.layer.differing_cells, 0) << compared.layer.largest_relative_error;
  ASSERT_LE(compared.layer.largest_relative_error, tolerance);
  ASSERT_TRUE(compared.maxima_agree);
  if (rule.threshold > 0 && answer.maximum == Maximum{}) return;
  ASSERT_EQ(answer.maximum,
            bombard::first_of(bombard::highest_peaks(bombard::view_of(answer.layer), 1)));
}

std::vector<EngineUnderTest> in_double() {
  return engines_under_test(bombard::Precision::binary64);
}

class DoublePrecision : public EngineTest {
 protected:
  /// Storm by storm.
  static void expect_true_sums(const Bombardment& bombardment, const bombard::Rule& rule) {
    ReferenceInDouble reference(bombardment.cells, rule);
    bombard::EngineOptions options = options_for(bombardment);
    options.rule = rule;
    const auto engine = GetParam().make(options);
    for (const Storm& storm : bombardment.storms) {
      const Maximum maximum = engine->apply({&storm, 1}).at(0);
      expect_reference(storm, {maximum, engine->layer()}, rule, reference);
      if (HasFatalFailure()) return;
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, DoublePrecision, testing::ValuesIn(in_double()), engine_name);

TEST_P(DoublePrecision, StormsOfAllKinds) {
  Random random(5);
  for (const std::int64_t cells : {1,   2,   3,   4,    31,   63,   64,   65,   127,  128,
                                   129, 191, 997, 1023, 1025, 4099, 8191, 8192, 8193, 20011}) {
    Bombardment bombardment{cells, {}};
    for (int i = 0; i < 6; ++i) {
      const StormKind kind = one_of(random, storm_kinds());
      bombardment.storms.push_back({kind.name, kind.impacts(random, cells, 60)});
    }
    bombardment.storms.push_back(
        {"as far as there is",
         {{(below(random, 2) == 0 ? 1 : -1) * bombard::largest_position, 2'000'000'000}}});
    SCOPED_TRACE(told(bombardment));
    expect_true_sums(bombardment, {.threshold = 0});
    if (HasFatalFailure()) return;
  }
}

TEST_P(DoublePrecision, SlowDenseStorms) {
  expect_true_sums(generated_at_random(3001, 2, 5000), {.threshold = 0});
}

TEST_P(DoublePrecision, AHundredThousandCells) {
  expect_true_sums(generated_at_random(100'003, 3, 40), {.threshold = 0});
}

TEST_P(DoublePrecision, PartsThatNeverSpeakToEachOther) {
  const Bombardment bombardment = generated_at_random(20'000, 4, 30);
  ReferenceInDouble reference(bombardment.cells, {});
  for (int i = 0; i < 3; ++i) reference.apply(bombardment.storms[i]);
  std::vector<double> layer;
  Maximum best;
  for (const CellRange& own :
       {CellRange{0, 7001}, CellRange{7001, 7002}, CellRange{7002, 20'000}}) {
    const auto engine = GetParam().make({.part = part_of_layer(own, 20'000), .storms = 4});
    best = larger(best, engine->apply(bombardment.storms).back());
    const std::vector<double> part = layer_in_double_of(*engine);
    layer.insert(layer.end(), part.begin(), part.end());
  }
  expect_reference(bombardment.storms.back(), {best, layer}, {}, reference);
}

/// Impacts beyond the layer would change which tables the convolution takes, and with them last
/// bits.
TEST_P(DoublePrecision, ARunThatIsCutAndContinuedIsTheWholeRunBitForBit) {
  for (const std::int64_t cells : {1, 2, 3, 31, 64, 191, 500, 997, 2048, 4099}) {
    for (const int edition : {1, 2}) {
      SCOPED_TRACE(testing::Message() << cells << " cells, edition " << edition);
      Bombardment whole = generated_at_random(cells, 5, 40);
      whole.rule = {.threshold = edition == 1 ? 300.0F : 0.001F, .edition = edition};
      const std::span<const Storm> storms = whole.storms;
      const auto make = [&](std::size_t count) {
        bombard::EngineOptions options = options_for(whole);
        options.storms = static_cast<std::int64_t>(count);
        return GetParam().make(options);
      };
      const auto at_once = make(storms.size());
      const std::vector<Maximum> maxima = at_once->apply(storms);
      for (std::size_t cut = 1; cut < storms.size(); ++cut) {
        const auto before = make(cut);
        before->apply(storms.first(cut));
        const auto after = make(storms.size() - cut);
        after->begin_with(bombard::view_of(before->layer()));
        const std::vector<Maximum> rest(maxima.begin() + cut, maxima.end());
        ASSERT_EQ(after->apply(storms.subspan(cut)), rest) << "cut " << cut;
        ASSERT_EQ(after->layer(), at_once->layer()) << "cut " << cut;
      }
    }
  }
}

// Any attenuation in both editions, with reaches of all sizes and none.
TEST_P(DoublePrecision, RulesOfTheFamily) {
  Random random(12);
  const std::vector<bombard::Attenuation> samples = sample_attenuations();
  for (int repeat = 0; repeat < 150; ++repeat) {
    const bombard::Attenuation attenuation = one_of(random, samples);
    if (attenuation.range < 0.5) continue;  // shares end where binary64 does
    constexpr std::array<std::int64_t, 10> sizes{1, 2, 3, 64, 65, 129, 1000, 1793, 4097, 8257};
    const std::int64_t cells = one_of(random, sizes);
    bombard::Rule rule{below(random, 2) == 0 ? bombard::Edition::first : bombard::Edition::second,
                       attenuation, 0};
    if (below(random, 4) != 0) {
      const std::array<std::int64_t, 10> ends{1,   2,   63,   64,   65,
                                              128, 129, 1792, 1984, 1 + below(random, 2 * cells)};
      const double share = 100 * rule.scale_in_double(cells) *
                           attenuated(attenuation, static_cast<double>(one_of(random, ends)));
      const double cells_or_1 =
          rule.edition == bombard::Edition::first ? 1 : static_cast<double>(cells);
      rule.threshold = static_cast<float>(share * 1.00001 * cells_or_1);
    }
    SCOPED_TRACE(testing::Message() << cells << " cells, edition " << static_cast<int>(rule.edition)
                                    << ", " << name_of(attenuation) << ", T " << rule.threshold);
    Storm storm{"random", {}};
    for (std::int64_t i = below(random, 80); i >= 0; --i) {
      const std::int64_t position =
          below(random, 5) == 0 ? below(random, 6 * cells) - 3 * cells : below(random, cells);
      const auto energy = static_cast<std::int32_t>(1 + below(random, 150));
      storm.impacts.push_back({position, repeat % 7 == 0 && i % 2 == 0 ? -energy : energy});
    }
    expect_true_sums({cells, {storm}}, rule);
    if (HasFatalFailure()) return;
  }
}

using Complex = std::complex<double>;

/// The sums of two storms, by a third way besides adding shares and exponential sums: the real and
/// the imaginary part of element k are the sums over p of those of amounts[p] / sqrt(|p - k| + 1).
/// Off by about 1e-15 of the amounts' norm times the kernel's (the root of 2 ln cells).
std::vector<Complex> convolved(std::vector<Complex> amounts) {
  const std::size_t cells = amounts.size(), size = std::bit_ceil(2 * cells);  // no wrap-around
  std::vector<Complex> kernel(size), of_kernel, of_amounts;
  for (std::size_t n = 0; n < cells; ++n) {
    kernel[n] = kernel[(size - n) % size] = 1 / std::sqrt(static_cast<double>(n + 1));
  }
  amounts.resize(size);
  Eigen::FFT<double> transform;
  transform.fwd(of_kernel, kernel);
  transform.fwd(of_amounts, amounts);
  for (std::size_t i = 0; i < size; ++i) of_amounts[i] *= of_kernel[i];
  transform.inv(amounts, of_amounts);
  return amounts;
}

/// Two storms of random impacts, against sums by a Fourier transform.
void expect_what_fourier_says(const EngineUnderTest& under_test, std::int64_t cells, int impacts) {
  Random random(9);
  std::vector<Storm> storms(2);
  std::vector<Complex> energies(static_cast<std::size_t>(cells));
  for (std::size_t i = 0; i < storms.size(); ++i) {
    for (int j = 0; j < impacts; ++j) {
      const Impact impact{below(random, cells), static_cast<std::int32_t>(1 + below(random, 1000))};
      storms[i].impacts.push_back(impact);
      const double energy = impact.energy * (1000.0 / static_cast<double>(cells));
      energies[impact.position] += i == 0 ? Complex(energy, 0) : Complex(0, energy);
    }
  }
  const std::vector<Complex> sums = convolved(std::move(energies));
  const auto engine =
      under_test.make({.part = bombard::whole_layer(cells), .storms = 2, .rule = {.threshold = 0}});

  std::vector<double> expected(static_cast<std::size_t>(cells));
  for (const std::size_t i : {0, 1}) {
    const Maximum answer = engine->apply({&storms[i], 1}).at(0);
    const std::vector<double> layer = layer_in_double_of(*engine);
    for (std::size_t k = 0; k < expected.size(); ++k) {
      expected[k] += i == 0 ? sums[k].real() : sums[k].imag();
    }
    const std::vector<double> copy = expected;
    for (std::size_t k = 1; k + 1 < expected.size(); ++k) {
      expected[k] = (copy[k - 1] + copy[k] + copy[k + 1]) / 3;
    }
    double worst = 0, peak = 0;
    std::int64_t position = 0;
    for (std::int64_t k = 0; k < cells; ++k) {
      worst = std::max(worst, std::fabs(layer[k] / expected[k] - 1));
      const bool inside = k > 0 && k + 1 < cells;
      if (inside && expected[k] > peak && expected[k] > expected[k - 1] &&
          expected[k] > expected[k + 1]) {
        peak = expected[k];
        position = k;
      }
    }
    EXPECT_LE(worst, tolerance);
    EXPECT_EQ(answer.position, position);
    EXPECT_NEAR(answer.value / peak, 1, tolerance);
  }
}

TEST_P(DoublePrecision, SlowMillionsOfCellsAsTheFourierTransformSays) {
  const auto variants = in_double();
  const auto first = std::ranges::find(variants, GetParam().entry, &EngineUnderTest::entry);
  if (first->name != GetParam().name) GTEST_SKIP() << "once an engine is enough";
  expect_what_fourier_says(GetParam(), 2'000'000, 150'000);
}

// They are also more than an engine sends to a device at once.
TEST_P(DoublePrecision, SlowMoreImpactsThanCellsAsTheFourierTransformSays) {
  expect_what_fourier_says(GetParam(), 300'000, 4'500'001);
}

}  // namespace
