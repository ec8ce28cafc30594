#include "tools/judge/comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/base/timer.hpp"
#include "tests/text.hpp"

namespace bombard::judge {
namespace {

using Maxima = std::vector<Maximum>;

PreparedCase prepared(const Case& tried) {
  return prepare({tried}).front();
}

/// Equal peaks at 9 and 50, at 19 and 40, at 4 and 55.
const PreparedCase& ties() {
  static const std::vector<Case> cases = quick_cases(Edition::second);
  static const PreparedCase found = prepared(*std::ranges::find(cases, "ties", &Case::name));
  return found;
}
constexpr Maximum first{9, 1705.000977}, second{19, 15331.617188}, third{4, 87419.8125};
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The judgement on a program that prints these, one in each run.
CaseJudgement judged(const PreparedCase& of, const std::vector<Maxima>& printed,
                     const Options& options = {}) {
  CaseRuns runs{&of};
  for (const Maxima& maxima : printed) {
    runs.runs.emplace_back();
    runs.runs.back().answer.maxima = maxima;
  }
  return judgement_of(runs, options);
}

/// Expects these maxima to be allowed (an empty text), or what is said of them to match: a pattern.
void expect(const PreparedCase& of, const Maxima& maxima, const std::string& text,
            std::optional<double> tolerance = {}, bool is_absolute = false) {
  const CaseJudgement found =
      judged(of, {maxima}, {.tolerance = tolerance, .is_absolute_tolerance = is_absolute});
  EXPECT_TRUE(tests::matches(found.facts.of_digits == Verdict::wrong ? found.complaint : "", text));
}

TEST(Comparison, OfMaxima) {
  expect(ties(), {first, second, third}, "");
  // The first one is equally high: roundings may make it the maximum.
  expect(ties(), {{50, first.value}, {41, second.value}, {4, 0}},
         "storm 2 of 3: position 41 in place of 19, maximum 15331.617188");
  expect(
      ties(), {{50, first.value}, {19, 15333}, {4, 0}},
      "storm 2 of 3: position 19, maximum 15333 in place of 15331.617188 (off by 9.0e-05 of it)");
  for (const std::optional<double> tolerance : {std::optional<double>(), {1.0}}) {
    expect(ties(), {{9, nan}, second, third},
           "storm 1 of 3: position 9, maximum nan in place of 1705.000977", tolerance);
  }
  const Maxima third_is_off{first, second, {4, third.value * (1 + 1e-5)}};
  expect(ties(), third_is_off, "storm 3 of 3*");
  expect(ties(), third_is_off, "", 2e-5);
  expect(ties(), third_is_off, "storm 3 of 3*", 0.5e-5);
  const Maxima first_is_off{{9, first.value + 0.5}, second, third};
  expect(ties(), first_is_off, "", 0.500001, true);
  expect(ties(), first_is_off, "storm 1 of 3*", 0.49, true);
  expect(ties(), {{50, first.value}, second, third}, "", 1e-6);
  for (const std::int64_t position :
       {std::int64_t{10}, std::int64_t{0}, std::int64_t{59}, std::int64_t{-1}, std::int64_t{60},
        std::numeric_limits<std::int64_t>::max()}) {
    expect(ties(), {{position, first.value}, second, third}, "storm 1 of 3*", 1e-6);
  }
  // However far off a value may be: next to a peak there is no peak, nor is there one at an end.
  expect(ties(), {{10, first.value}, second, third}, "storm 1 of 3*", 1.0);
  const PreparedCase ends = prepared({.cells = 20, .storms = {Storm{"", {{0, 900}, {8, 300}}}}});
  for (const std::int64_t end : {0, 19}) {
    expect(ends, {{end, RightLayers(ends).after(1)[static_cast<std::size_t>(end)]}},
           "storm 1 of 1*", 1e9, true);
  }
  const PreparedCase none = prepared({.cells = 2, .storms = {Storm{"", {{0, 100}}}}});
  expect(none, {{0, 0}}, "", 0.1);
  expect(none, {{0, 1e-9}}, "storm 1 of 1: position 0, maximum 1e-09 in place of 0.000000", 0.1);
  expect(none, {{1, 0}}, "storm 1 of 1*", 0.1);
  const PreparedCase two_peaks =
      prepared({.cells = 40, .storms = {Storm{"", {{10, 500}, {30, 400}}}}});
  expect(two_peaks, {{30, RightLayers(two_peaks).after(1)[30]}}, "storm 1 of 1*");
}

// Cells 13 and 14 are equal by the rule, and above the maximum: roundings make one of them a peak.
TEST(Comparison, OfAPlateau) {
  const PreparedCase plateau =
      prepared({.cells = 60, .storms = {Storm{"", {{13, 300}, {14, 300}, {5, 272}, {22, 272}}}}});
  const std::vector<float> layer = RightLayers(plateau).after(1);
  ASSERT_GT(layer[14], 1.01 * plateau.right[0].value);
  expect(plateau, {{14, layer[14]}}, "");
  expect(plateau, {{13, layer[13] * (1 + 2e-7)}}, "");
  expect(plateau, {{14, layer[14]}}, "", 1e-6);
  const CaseJudgement found = judged(plateau, {{{14, layer[14]}}}, {.tolerance = 1e-6});
  EXPECT_FALSE(found.facts.with_tolerance);  // it does not tell which neighbour is higher
  EXPECT_LT(found.distance, 1e-9);
  expect(plateau, {{12, layer[12]}}, "storm 1 of 1: position 12 in place of 6*");
  expect(plateau, {{13, layer[13] * 1.00001}}, "storm 1 of 1*");
}

// Roundings take one side and the other, in 24 storms.
TEST(Comparison, OfManyPlateaus) {
  const std::vector<Case> cases = quick_cases(Edition::second);
  const PreparedCase plateaus = prepared(*std::ranges::find(cases, "plateaus", &Case::name));
  Maxima maxima;
  for (std::size_t storm = 0; storm < plateaus.storms.size(); ++storm) {
    const std::vector<float> layer = RightLayers(plateaus).after(storm + 1);
    EXPECT_EQ(layer[54], layer[55]) << storm;
    EXPECT_EQ(plateaus.right[storm].position, 10) << storm;
    maxima.push_back({storm % 3 == 0 ? 55 : 54, layer[54]});
  }
  expect(plateaus, maxima, "storm 1 of 24: position 55 in place of 10*");
  maxima[7] = plateaus.right[7];
  expect(plateaus, maxima, "");
}

// Sums of zeros have no roundings. Each of the storms is computed once, not again for each layer.
TEST(Comparison, OfALayerOfZeros) {
  const WallTimer timer;
  const PreparedCase none = prepared({.cells = 30, .storms = std::vector<Storm>(20'000)});
  expect(none, Maxima(20'000, {28, 0}), "storm 1 of 20000: position 28 in place of 0, maximum 0*");
  expect(none, Maxima(20'000), "");
  EXPECT_LT(timer.seconds(), 20);
}

TEST(Comparison, TellsWhatTheLayerHas) {
  const auto is_of_the_rule = [](const Maxima& maxima) {
    return judged(ties(), {maxima}).facts.layer_is_right;
  };
  EXPECT_TRUE(is_of_the_rule({first, {40, second.value}, {0, 0}}));
  EXPECT_FALSE(is_of_the_rule({first, {41, second.value}, third}));
  EXPECT_FALSE(is_of_the_rule({first, {60, second.value}, third}));
}

TEST(Comparison, TellsTheLargestRelativeError) {
  const Maxima maxima{first, {19, second.value * (1 + 1e-6)}, {4, third.value * (1 + 1e-5)}};
  EXPECT_NEAR(judged(ties(), {maxima}).distance, 1e-5, 1e-12);
}

TEST(Comparison, OfTwoRuns) {
  const auto difference = [](const Maximum& a, const Maximum& b) {
    return judged(ties(), {{first, second, a}, {first, second, b}}).between_runs;
  };
  EXPECT_EQ(difference(third, {4, third.value + 0.01}), "");
  EXPECT_EQ(difference(third, {4, third.value * 1.01}),
            "storm 3: position 4, maximum 87419.812500, then position 4, maximum 88294.010625 in "
            "place of 87419.812500 (off by 1.0e-02 of it)");
  EXPECT_NE(difference(third, {4, third.value + 1.5 * ties().roundings[2]}), "");
  EXPECT_NE(difference(third, {55, third.value}), "");
  EXPECT_NE(difference(third, {4, nan}), "");
  EXPECT_EQ(difference({4, nan}, {4, nan}), "");
}

// Six decimals; and, in units, half of each maximum so far, 4 of the largest, and five deviations.
TEST(Roundings, ByHand) {
  const PreparedCase of =
      prepared({.cells = 40,
                .storms = {Storm{"", {{10, 900}}}, Storm{"", {}}, Storm{"", {{29, 90}, {2, 5}}}}});
  const double first = of.right[0].value, third = of.right[2].value;
  ASSERT_GT(first, third);
  EXPECT_NEAR(of.roundings[0], 1e-6 + 0x1p-24 * first * (0.5 + 4 + 2), 1e-12);
  const double of_one = 5 * 0.2 * std::sqrt(4) * std::pow(2, 0.4);  // the second storm has none
  EXPECT_NEAR(of.roundings[1], 1e-6 + 0x1p-24 * first * (1 + 4 + of_one), 1e-12);
  const double deviations = 5 * 0.2 * std::sqrt(5) * std::pow(3, 0.4);
  EXPECT_NEAR(of.roundings[2], 1e-6 + 0x1p-24 * first * (1.5 + 4 + deviations), 1e-12);
}

// Energies of both signs leave little of large sums: the roundings are those of the large sums.
TEST(Roundings, AreRelativeToWhatIsAdded) {
  Case tried{.cells = 40, .storms = {Storm{"", {{20, 1'000'000}, {20, -1'000'000}, {10, 1}}}}};
  EXPECT_LT(prepared(tried).right[0].value, 100);
  EXPECT_GT(prepared(tried).roundings[0], 1);
  tried.storms[0].impacts.resize(1);
  EXPECT_LT(prepared(tried).roundings[0], 50);
  // With positive energies the layer rises to its end, and a lower peak is left.
  tried = {.cells = 24, .storms = {Storm{"", {{22, 1000}, {23, -500}, {3, 200}}}}};
  const PreparedCase both = prepared(tried);
  tried.storms[0].impacts[1].energy = 500;
  const double highest = both.right[0].value;
  ASSERT_LT(right_answer(tried)[0].value, 0.97 * highest);
  const double deviations = 5 * 0.2 * std::sqrt(6);
  EXPECT_NEAR(both.roundings[0], 1e-6 + 0x1p-24 * highest * (0.5 + 4 + deviations), 1e-9);
  // Without a peak, the largest cell counts instead.
  const PreparedCase falling = prepared({.cells = 5, .storms = {Storm{"", {{0, 4}}}}});
  EXPECT_NEAR(falling.roundings[0], 1e-6 + 0x1p-24 * 800 * (0.5 + 4 + 2), 1e-12);
}

}  // namespace
}  // namespace bombard::judge
