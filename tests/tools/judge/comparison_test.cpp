#include "tools/judge/comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "sim/generation.hpp"
#include "tests/text.hpp"

namespace bombard::judge {
namespace {

using Maxima = std::vector<Maximum>;

PreparedCase prepared(const Case& tried) {
  return prepare({tried}).front();
}

/// Equal peaks at 9 and 50, at 20 and 39, at 4 and 55.
const PreparedCase& ties() {
  static const std::vector<Case> cases = quick_cases(Edition::second);
  static const PreparedCase found = prepared(*std::ranges::find(cases, "ties", &Case::name));
  return found;
}
constexpr Maximum first{9, 6393.753906}, second{20, 54553.515625}, third{4, 338717.71875};
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Whether these maxima are allowed (an empty text), or what is said of them: a pattern.
void expect(const PreparedCase& of, const Maxima& maxima, const std::string& text,
            std::optional<double> tolerance = {}, std::optional<double> absolute_tolerance = {}) {
  const Difference found = difference_of(
      maxima, of,
      allowed_errors(of, {.tolerance = tolerance, .absolute_tolerance = absolute_tolerance}));
  EXPECT_TRUE(tests::matches(found.is_allowed ? "" : found.text, text));
}

TEST(Comparison, OfMaxima) {
  expect(ties(), {first, second, third}, "");
  // The first is as high: roundings may make it the maximum.
  expect(ties(), {{50, first.value}, {38, second.value}, {4, 0}},
         "storm 2 of 3: position 38 in place of 20, maximum 54553.515625");
  expect(
      ties(), {{50, first.value}, {20, 54554}, {4, 0}},
      "storm 2 of 3: position 20, maximum 54554 in place of 54553.515625 (off by 8.9e-06 of it)");
  for (const std::optional<double> tolerance : {std::optional<double>(), {1.0}}) {
    expect(ties(), {{9, nan}, second, third},
           "storm 1 of 3: position 9, maximum nan in place of 6393.753906", tolerance);
  }
  const Maxima third_is_off{first, second, {4, third.value * (1 + 1e-5)}};
  expect(ties(), third_is_off, "storm 3 of 3*");
  expect(ties(), third_is_off, "", 2e-5);
  expect(ties(), third_is_off, "storm 3 of 3*", 0.5e-5);
  const Maxima first_is_off{{9, first.value + 0.5}, second, third};
  expect(ties(), first_is_off, "", {}, 0.51);
  expect(ties(), first_is_off, "storm 1 of 3*", {}, 0.49);
  expect(ties(), first_is_off, "", 1e-4, 0);  // the larger one counts
  expect(ties(), first_is_off, "storm 1 of 3*", 1e-5, 0);
  expect(ties(), {{50, first.value}, second, third}, "", 1e-6);
  for (const std::int64_t position :
       {std::int64_t{10}, std::int64_t{0}, std::int64_t{59}, std::int64_t{-1}, std::int64_t{60},
        std::numeric_limits<std::int64_t>::max()}) {
    expect(ties(), {{position, first.value}, second, third}, "storm 1 of 3*", 1e-6);
  }
  const PreparedCase none = prepared({.cells = 2, .storms = {Storm{"", {{0, 100}}}}});
  expect(none, {{0, 0}}, "", 0.1);
  expect(none, {{0, 1e-9}}, "storm 1 of 1: position 0, maximum 1e-09 in place of 0.000000", 0.1);
  expect(none, {{1, 0}}, "storm 1 of 1*", 0.1);
  const PreparedCase two_peaks =
      prepared({.cells = 40, .storms = {Storm{"", {{10, 500}, {30, 400}}}}});
  expect(two_peaks, {{30, right_layer(two_peaks, 1)[30]}}, "storm 1 of 1*");
}

// Cells 19 and 20 are equal in the rule; one is above the other by roundings.
TEST(Comparison, OfAPlateau) {
  const PreparedCase plateau =
      prepared({.cells = 40, .storms = {Storm{"", {{19, 500}, {20, 500}}}}});
  ASSERT_EQ(plateau.right.maxima[0].position, 0);
  const std::vector<float> layer = right_layer(plateau, 1);
  expect(plateau, {{20, layer[19]}}, "");
  expect(plateau, {{19, layer[19] * (1 + 2e-7)}}, "");
  expect(plateau, {{18, layer[18]}}, "storm 1 of 1*");
  expect(plateau, {{19, layer[19] * 1.00001}}, "storm 1 of 1*");
}

TEST(Comparison, TellsTheLargestRelativeError) {
  const Maxima maxima{first, {20, second.value * (1 + 1e-6)}, {4, third.value * (1 + 1e-5)}};
  EXPECT_NEAR(difference_of(maxima, ties(), ties().roundings).distance, 1e-5, 1e-12);
}

TEST(Comparison, OfTwoRuns) {
  const auto difference = [](const Maximum& a, const Maximum& b) {
    return difference_between({first, second, a}, {first, second, b}, ties(), ties().roundings);
  };
  EXPECT_EQ(difference(third, {4, third.value + 0.01}), "");
  EXPECT_EQ(
      difference(third, {4, third.value * 1.01}),
      "storm 3: position 4, maximum 338717.718750, then position 4, maximum 342104.8959375 in "
      "place of 338717.718750 (off by 1.0e-02 of it)");
  EXPECT_NE(difference(third, {55, third.value}), "");
  EXPECT_NE(difference(third, {4, nan}), "");
  EXPECT_EQ(difference({4, nan}, {4, nan}), "");
}

// ---- roundings ----

/// The largest error of the case's sums in another order, against its bound.
double error_by_bound(const PreparedCase& of, std::uint32_t seed) {
  Case shuffled = of;
  std::mt19937 generator(seed);
  for (Storm& storm : shuffled.storms) std::ranges::shuffle(storm.impacts, generator);
  const std::vector<Maximum> maxima = right_answer(shuffled).maxima;
  double most = 0;
  for (std::size_t storm = 0; storm < maxima.size(); ++storm) {
    const double error = std::abs(maxima[storm].value - of.right.maxima[storm].value);
    most = std::max(most, error / of.roundings[storm]);
  }
  return most;
}

// The bound is five standard deviations: shuffled sums stay below it, and are not far below.
TEST(Roundings, AreWithinTheirBound) {
  for (const Case& tried : quick_cases(Edition::second)) {
    if (tried.name != "many_impacts" && tried.name != "random_impacts") continue;
    const PreparedCase of = prepared(tried);
    double most = 0;
    for (std::uint32_t seed = 0; seed < 20; ++seed) most = std::max(most, error_by_bound(of, seed));
    EXPECT_LT(most, 1) << tried.name;
    EXPECT_GT(most, 0.05) << tried.name;
  }
}

// The six storms of a usual test: 20000 impacts each. A halo that is off by 2.7e-5 is no rounding.
TEST(Roundings, AreSmallerThanAWrongHalo) {
  for (const int storms : {1, 6}) {
    Case tried{.cells = 300};
    for (int i = 0; i < storms; ++i) {
      tried.storms.push_back(generate_storm(tried.cells, 20000, 1, 1000, 7, i));
    }
    const PreparedCase of = prepared(tried);
    EXPECT_LT(of.roundings.back(), 2.7e-5 * of.right.maxima.back().value) << storms;
    for (std::uint32_t seed = 0; seed < 5; ++seed) EXPECT_LT(error_by_bound(of, seed), 1) << storms;
  }
}

// Energies of both signs leave little of large sums: roundings are those of the large ones.
TEST(Roundings, AreRelativeToWhatIsAdded) {
  Case tried{.cells = 40, .storms = {Storm{"", {{20, 1'000'000}, {20, -1'000'000}, {10, 1}}}}};
  EXPECT_LT(prepared(tried).right.maxima[0].value, 100);
  EXPECT_GT(prepared(tried).roundings[0], 1);
  tried.storms[0].impacts.resize(1);
  EXPECT_LT(prepared(tried).roundings[0], 50);
}

}  // namespace
}  // namespace bombard::judge
