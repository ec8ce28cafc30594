// Engines in double precision against the reference of `bombard validate`, which adds all shares up
// in long double, and against the fast Fourier transform where those would take too long.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <functional>
#include <unsupported/Eigen/FFT>

#include "kernels/share/attenuation.hpp"
#include "sim/engines/screened/screening.hpp"
#include "sim/validation.hpp"
#include "tests/attenuations.hpp"
#include "tests/sim/engines/generated.hpp"
#include "tests/sim/engines/layer_of.hpp"

namespace bombard {
namespace {

// A fraction of the sum of the shares' magnitudes, as docs/methods.md states.
constexpr double tolerance = 5e-12;

std::vector<EngineUnderTest> in_double() {
  return engines_under_test(Precision::binary64);
}

class DoublePrecision : public EngineTest {
 protected:
  /// Storm by storm, layer and maximum are the reference's within the tolerance, and the maximum is
  /// the layer's own.
  static void expect_true_sums(const Bombardment& bombardment, const Rule& rule) {
    ReferenceInDouble reference(bombardment.cells, rule);
    EngineOptions options = options_for(bombardment);
    options.rule = rule;
    const auto engine = GetParam().make(options);
    for (const Storm& storm : bombardment.storms) {
      const Maximum maximum = engine->apply({storm.impacts});
      const Layer layer = engine->layer();
      reference.apply(storm);
      const LayerComparison compared =
          compare_layers(std::get<std::vector<double>>(layer), reference, tolerance);
      ASSERT_EQ(compared.differing_cells, 0) << compared.largest_relative_error;
      ASSERT_LE(compared.largest_relative_error, tolerance);
      ASSERT_TRUE(reference.may_be_maximum(maximum, tolerance));
      ASSERT_EQ(maximum, first_of(highest_peaks(view_of(layer), 1)));
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
         {{(below(random, 2) == 0 ? 1 : -1) * largest_position, 2'000'000'000}}});
    SCOPED_TRACE(told(bombardment));
    expect_true_sums(bombardment, {});
    if (HasFatalFailure()) return;
  }
}

/// Impacts beyond the layer would change which tables the convolution takes, and with them last
/// bits.
TEST_P(DoublePrecision, ARunThatIsCutAndContinuedIsTheWholeRunBitForBit) {
  for (const std::int64_t cells : {1, 2, 3, 31, 64, 191, 500, 997, 2048, 4099}) {
    for (const int edition : {1, 2}) {
      SCOPED_TRACE(testing::Message() << cells << " cells, edition " << edition);
      Bombardment whole = generated_at_random(cells, 5, 40);
      whole.rule.edition = edition;
      const std::span<const Storm> storms = whole.storms;
      const auto make = [&](std::size_t count) {
        EngineOptions options = options_for(whole);
        options.storms = static_cast<std::int64_t>(count);
        return GetParam().make(options);
      };
      const auto at_once = make(storms.size());
      const std::vector<Maximum> maxima = maxima_of(*at_once, storms);
      for (std::size_t cut = 1; cut < storms.size(); ++cut) {
        const auto before = make(cut);
        maxima_of(*before, storms.first(cut));
        const auto after = make(storms.size() - cut);
        after->begin_with(view_of(before->layer()));
        const std::vector<Maximum> rest(maxima.begin() + cut, maxima.end());
        ASSERT_EQ(maxima_of(*after, storms.subspan(cut)), rest) << "cut " << cut;
        ASSERT_EQ(after->layer(), at_once->layer()) << "cut " << cut;
      }
    }
  }
}

// Any attenuation in both editions.
TEST_P(DoublePrecision, RulesOfTheFamily) {
  Random random(12);
  const std::vector<Attenuation> samples = sample_attenuations();
  for (int repeat = 0; repeat < 150; ++repeat) {
    const Attenuation attenuation = one_of(random, samples);
    constexpr std::array<std::int64_t, 10> sizes{1, 2, 3, 64, 65, 129, 1000, 1793, 4097, 8257};
    const std::int64_t cells = one_of(random, sizes);
    const Rule rule{below(random, 2) == 0 ? Edition::first : Edition::second, attenuation};
    SCOPED_TRACE(testing::Message() << cells << " cells, edition " << static_cast<int>(rule.edition)
                                    << ", " << name_of(attenuation));
    const Storm storm{"random", random_impacts(random, 1 + below(random, 80), -cells, 2 * cells,
                                               repeat % 7 == 0, 150)};
    expect_true_sums({cells, {storm}}, rule);
    if (HasFatalFailure()) return;
  }
}

/// Sums by a third way besides adding shares and exponential sums: element k is the sum over p of
/// energies[p] / sqrt(|p - k| + 1). Off by about 1e-15 of the energies' norm times the kernel's
/// (the root of 2 ln cells).
std::vector<double> convolved(std::vector<double> energies) {
  const std::size_t cells = energies.size(), size = std::bit_ceil(2 * cells);  // no wrap-around
  std::vector<double> kernel(size);
  for (std::size_t n = 0; n < cells; ++n) {
    kernel[n] = kernel[(size - n) % size] = 1 / std::sqrt(static_cast<double>(n + 1));
  }
  energies.resize(size);
  Eigen::FFT<double> transform;
  std::vector<std::complex<double>> of_kernel, of_energies;
  transform.fwd(of_kernel, kernel);
  transform.fwd(of_energies, energies);
  for (std::size_t i = 0; i < size; ++i) of_energies[i] *= of_kernel[i];
  transform.inv(energies, of_energies);
  energies.resize(cells);
  return energies;
}

/// Two storms of random impacts, against sums by a Fourier transform.
void expect_what_fourier_says(const EngineUnderTest& under_test, std::int64_t cells, int impacts) {
  Random random(9);
  const auto engine = under_test.make({.part = whole_layer(cells), .storms = 2});
  std::vector<double> expected(static_cast<std::size_t>(cells));
  for (int i = 0; i < 2; ++i) {
    const Storm storm{"random", random_impacts(random, impacts, 0, cells, false, 1000)};
    std::vector<double> energies(expected.size());
    for (const Impact& impact : storm.impacts) {
      energies[impact.position] += impact.energy * (1000.0 / static_cast<double>(cells));
    }
    const std::vector<double> sums = convolved(std::move(energies));
    std::ranges::transform(expected, sums, expected.begin(), std::plus());
    const std::vector<double> copy = expected;
    for (std::size_t k = 1; k + 1 < expected.size(); ++k) {
      expected[k] = (copy[k - 1] + copy[k] + copy[k + 1]) / 3;
    }
    const Maximum answer = engine->apply({storm.impacts});
    const std::vector<double> layer = layer_of<double>(*engine);
    double worst = 0;
    for (std::size_t k = 0; k < expected.size(); ++k) {
      worst = std::max(worst, std::fabs(layer[k] / expected[k] - 1));
    }
    EXPECT_LE(worst, tolerance);
    const auto peak = highest_peaks(std::span<const double>(expected), 1).at(0);
    EXPECT_EQ(answer.position, peak.position);
    EXPECT_NEAR(answer.value / peak.value, 1, tolerance);
  }
}

// Once an engine is enough.
using TrueSums = EngineTest;
INSTANTIATE_TEST_SUITE_P(Engines, TrueSums, testing::ValuesIn(first_of_each(in_double())),
                         engine_name);

TEST_P(TrueSums, SlowAsTheFourierTransformSays) {
  expect_what_fourier_says(GetParam(), 2'000'000, 150'000);
  // More impacts than cells, and than an engine sends to a device at once.
  expect_what_fourier_says(GetParam(), 300'000, 4'500'001);
}

}  // namespace
}  // namespace bombard
