#include "tools/judge/mistakes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tools/judge/answer.hpp"
#include "tools/judge/prepared_case.hpp"

namespace bombard::judge {
namespace {

/// Storms of the first edition, in which an energy of 1000 v becomes v.
Case storms_on(std::int64_t cells, const std::vector<std::vector<Impact>>& storms) {
  Case tried{.edition = Edition::first, .cells = cells};
  for (const std::vector<Impact>& impacts : storms) tried.storms.push_back({"", impacts});
  return tried;
}

// ---- by hand: shares of v at distance d are v / sqrt(d + 1), and a cell is a third of three ----

std::vector<Maximum> maxima_with_one(std::string_view name, const Case& tried) {
  const auto found = std::ranges::find(mistakes(), name, &Mistake::name);
  return SteppedProgram(tried, found == mistakes().end() ? SixSteps{} : found->replaced).maxima();
}

TEST(Mistakes, ByHand) {
  const double r2 = std::sqrt(0.5), r3 = std::sqrt(1 / 3.0), peak = (1 + 2 * r2) / 3;
  const Case middle = storms_on(3, {{{1, 3000}}});
  const Case falling = storms_on(5, {{{0, 4000}}});
  const Case plateau = storms_on(6, {{{2, 1000}, {3, 1000}}});
  const Case smallest = storms_on(7, {{{3, 1}}});    // all shares but one are below the threshold
  const Case border = storms_on(16, {{{4, 1000}}});  // the first cell of the second part
  const Case to_nothing = storms_on(7, {{{3, 9000}}, {}, {{3, -90000}}});
  const double first = 9 * peak, second = (first + 2 * 3 * (1 + r2 + r3)) / 3;
  const Case left_over = storms_on(11, {{{7, 1000}}});  // 4 parts of two cells leave three over
  const struct {
    const Case& tried;
    std::string mistake;
    std::vector<Maximum> maxima;  ///< after the first storms
  } rows[] = {{middle, "none", {{1, 3 * peak}}},
              {falling, "none", {{0, 0}}},
              {falling, "ends_as_peaks", {{0, 4}}},
              {falling, "largest_inside_cell", {{1, 4 * (1 + r2 + r3) / 3}}},
              {plateau, "none", {{0, 0}}},
              {plateau, "plateau_ends_as_peaks", {{3, (2 + 2 * r2 + r2 + r3) / 3}}},
              {smallest, "none", {{0, 0}}},  // a plateau
              {smallest, "no_threshold", {{3, 0.001 * peak}}},
              {smallest, "threshold_of_other_edition", {{3, 0.001 * peak}}},
              {border, "none", {{4, peak}}},
              {border, "parts_with_ends", {{0, 0}}},
              {border, "parts_without_peaks", {{0, 0}}},
              {to_nothing, "none", {{3, first}, {3, second}, {0, 0}}},
              {border, "position_not_sent", {{0, peak}}},
              {border, "position_not_set", {{0, peak}}},
              {to_nothing, "stale_position", {{0, first}, {3, second}, {3, 0}}},
              {to_nothing, "stale_maximum", {{3, first}, {3, first}, {3, first}}},
              {left_over, "none", {{7, peak}}},
              {left_over, "leftover_cells_dropped", {{6, (1 + r2 + r3) / 3}}}};
  for (const auto& [tried, mistake, expected] : rows) {
    const std::vector<Maximum> maxima = maxima_with_one(mistake, tried);
    for (std::size_t storm = 0; storm < expected.size(); ++storm) {
      EXPECT_EQ(maxima[storm].position, expected[storm].position) << mistake;
      EXPECT_NEAR(maxima[storm].value, expected[storm].value,
                  1e-6 * std::abs(expected[storm].value))
          << mistake;
    }
  }
}

// ---- all of them, on the cases ----

TEST(Mistakes, NoneIsTheRule) {
  for (const Edition edition : {Edition::first, Edition::second}) {
    for (const Case& tried : quick_cases(edition)) {
      EXPECT_EQ(SteppedProgram(tried, {}).maxima(), right_answer(tried)) << tried.name;
    }
  }
}

// In the second edition each has its own name (judgement_test.cpp).
TEST(Mistakes, OfTheFirstEditionChangeAnAnswerEachInItsOwnWay) {
  const std::vector<Case> cases = quick_cases(Edition::first);
  const auto answers = [&](const SixSteps& replaced) {
    std::string all;
    for (const Case& tried : cases) {
      if (shows_mistakes(tried)) all += result_line(SteppedProgram(tried, replaced).maxima());
    }
    return all;
  };
  std::map<std::string, std::string_view> seen{{answers({}), "the rule"}};
  for (const Mistake& mistake : mistakes()) {
    const bool is_none = mistake.replaced.divisor != 0;  // by the number of cells, here by nothing
    const auto same = seen.emplace(answers(mistake.replaced), mistake.name).first;
    EXPECT_EQ(same->second, is_none ? "the rule" : mistake.name) << mistake.looks;
  }
}

TEST(MistakesThatGive, TellWhoseDigitsTheyAre) {
  const PreparedCase tried = prepare({storms_on(20, {{{7, 1000}, {12, 600}}})}).front();
  std::vector<Maximum> maxima = maxima_with_one("no_relaxation", tried);
  const auto name = [&](const std::vector<double>& allowed) {
    const std::vector<const Mistake*> found = mistakes_that_give(maxima, tried, allowed);
    return found.empty() ? "" : texts_of(found, &Mistake::name).front();
  };
  EXPECT_EQ(name({}), "no_relaxation");
  maxima[0].value += 1e-5;
  EXPECT_EQ(name({}), "");
  EXPECT_EQ(name({0.9e-5}), "");
  EXPECT_EQ(name({1.1e-5}), "no_relaxation");
}

// Where all digits must be right, roundings are wrong, and no mistake.
TEST(MistakesThatGive, AreNoneWhereRoundingsExplainIt) {
  const PreparedCase tried = prepare({storms_on(20, {{{7, 1000}, {12, 600}}})}).front();
  std::vector<Maximum> maxima = tried.right;
  EXPECT_FALSE(mistakes_that_give(maxima, tried).empty());  // plateaus show none here
  maxima[0].value += 1e-6;
  EXPECT_TRUE(mistakes_that_give(maxima, tried, tried.roundings).empty());
}

TEST(MistakesThatGive, AreNotComputedForLargeCases) {
  const Case many{.cells = 1000, .storms = {Storm{"", std::vector<Impact>(1001)}}};
  EXPECT_FALSE(shows_mistakes(many));
  EXPECT_FALSE(shows_mistakes({.cells = 1'000'001, .storms = {Storm{}}}));
  EXPECT_TRUE(mistakes_that_give({{0, 0}}, prepare({many}).front()).empty());
}

}  // namespace
}  // namespace bombard::judge
