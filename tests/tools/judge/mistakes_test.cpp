#include "tools/judge/mistakes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
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

// The deviations for which Verdicts.NameMistakes has no program.
TEST(Deviations, ByHand) {
  const double r2 = std::sqrt(0.5), r3 = std::sqrt(1 / 3.0), peak = (1 + 2 * r2) / 3;
  const Case middle = storms_on(3, {{{1, 3000}}});
  const Case falling = storms_on(5, {{{0, 4000}}});
  const Case plateau = storms_on(6, {{{2, 1000}, {3, 1000}}});
  const Case smallest = storms_on(7, {{{3, 1}}});  // all shares but one are below the threshold
  const Case two = storms_on(7, {{{3, 1000}}, {{2, 9000}}});
  const Case border = storms_on(8, {{{4, 1000}}});  // the first cell of the second part
  const Case equal = storms_on(8, {{{1, 1000}, {6, 1000}}});
  const Case to_nothing = storms_on(7, {{{3, 9000}}, {}, {{3, -90000}}});
  const double first = 9 * peak, second = (first + 2 * 3 * (1 + r2 + r3)) / 3;
  const double lowest = std::numeric_limits<float>::lowest();
  const Case seven = storms_on(7, {{{5, 1000}}});  // two parts of three cells leave one over
  const struct {
    const Case& tried;
    std::vector<Deviation> deviations;
    int parts;
    std::vector<Maximum> maxima;  ///< after the first storms
  } rows[] = {
      {middle, {}, 1, {{1, 3 * peak}}},
      {middle, {"relaxed_twice"}, 1, {{1, 2 * r2 + peak}}},
      {falling, {}, 1, {{0, 0}}},
      {falling, {"ends_as_peaks"}, 1, {{0, 4}}},
      {falling, {"largest_inside_cell"}, 1, {{1, 4 * (1 + r2 + r3) / 3}}},
      {plateau, {}, 1, {{0, 0}}},
      {smallest, {}, 1, {{0, 0}}},  // a plateau
      {smallest, {"no_threshold"}, 1, {{3, 0.001 * peak}}},
      {smallest, {"threshold_of_other_edition"}, 1, {{3, 0.001 * peak}}},
      {two, {"storms_reversed"}, 1, {{2, 9 * peak}}},
      {border, {}, 2, {{4, peak}}},
      {border, {"parts_with_ends"}, 2, {{0, 0}}},
      {border, {"parts_without_peaks"}, 2, {{0, 0}}},
      {equal, {"no_relaxation", "equal_maxima_in_a_tree"}, 1, {{6, 1 + std::sqrt(1 / 6.0)}}},
      {equal, {"no_relaxation"}, 2, {{1, 1 + std::sqrt(1 / 6.0)}}},
      {equal, {"no_relaxation", "parts_with_larger_position"}, 1, {{1, 1 + std::sqrt(1 / 6.0)}}},
      {equal, {"no_relaxation", "parts_with_larger_position"}, 2, {{6, 1 + std::sqrt(1 / 6.0)}}},
      {to_nothing, {}, 1, {{3, first}, {3, second}, {0, 0}}},
      {to_nothing, {"position_kept"}, 1, {{3, first}, {3, second}, {3, 0}}},
      {to_nothing, {"stale_position"}, 1, {{0, first}, {3, second}, {3, 0}}},
      {to_nothing,
       {"minus_one_without_peak", "lowest_maximum_without_peak"},
       1,
       {{3, first}, {3, second}, {-1, lowest}}},
      {seven, {}, 2, {{5, peak}}},
      {seven, {"leftover_cells_dropped_behind_end"}, 2, {{5, 1}}},
  };
  for (std::size_t row = 0; row < std::size(rows); ++row) {
    const auto& [tried, deviations, parts, expected] = rows[row];
    const std::vector<Maximum> maxima = maxima_with(tried, deviations, parts);
    for (std::size_t storm = 0; storm < expected.size(); ++storm) {
      EXPECT_EQ(maxima[storm].position, expected[storm].position) << row;
      EXPECT_NEAR(maxima[storm].value, expected[storm].value,
                  1e-6 * std::abs(expected[storm].value))
          << row;
    }
  }
}

// ---- all of them, on the cases ----

class Mistakes : public testing::TestWithParam<Edition> {
 protected:
  /// What a program with this mistake prints in all cases that are compared.
  std::string answers(const Mistake& mistake) const {
    std::string all;
    for (const Case& tried : cases_) {
      if (!shows_mistakes(tried)) continue;
      all += result_line(maxima_with(tried, mistake.deviations, mistake.parts));
    }
    return all;
  }

  std::vector<Case> cases_ = quick_cases(GetParam());
};

TEST_P(Mistakes, NoneIsTheRule) {
  for (const Case& tried : cases_) {
    EXPECT_EQ(maxima_with(tried), right_answer(tried).maxima) << tried.name;
  }
}

// In the second edition no share of an int's impact is below the threshold, so no answer shows
// whether there is a threshold.
TEST_P(Mistakes, ChangeAnAnswerEachInItsOwnWay) {
  std::map<std::string, std::string_view> seen;
  seen[answers({})] = "the rule";
  for (const Mistake& mistake : mistakes()) {
    if (mistake.name == "no_threshold" && GetParam() == Edition::second) {
      EXPECT_EQ(answers(mistake), answers({}));
      continue;
    }
    const auto same = seen.emplace(answers(mistake), mistake.name).first;
    // Parts of equal size have nothing left over: they are new under their name once. In the first
    // edition no two peaks in one half are equal.
    const bool is_as_larger_position =
        GetParam() == Edition::first && mistake.name == "parts_with_larger_position";
    EXPECT_EQ(same->second, is_as_larger_position ? "larger_position" : mistake.name);
  }
}

INSTANTIATE_TEST_SUITE_P(Editions, Mistakes, testing::Values(Edition::first, Edition::second),
                         [](const auto& info) {
                           return info.param == Edition::first ? "First" : "Second";
                         });

TEST(MistakesThatGive, TellWhoseDigitsTheyAre) {
  const PreparedCase tried = prepare({storms_on(20, {{{7, 1000}, {12, 600}}})}).front();
  std::vector<Maximum> maxima = printed(maxima_with(tried, {"no_relaxation"}));
  const auto name = [&](const std::vector<double>& allowed) {
    const std::vector<const Mistake*> found = mistakes_that_give(maxima, tried, allowed);
    return found.empty() ? "" : names_of(found).front();
  };
  EXPECT_EQ(name({}), "no_relaxation");
  maxima[0].value += 1e-5;
  EXPECT_EQ(name({}), "");
  EXPECT_EQ(name({0.9e-5}), "");
  EXPECT_EQ(name({1.1e-5}), "no_relaxation");
}

TEST(MistakeNames, HaveARangeOfParts) {
  std::vector<const Mistake*> found;
  for (const Mistake& mistake : mistakes()) {
    const bool is_even = mistake.name == "parts_with_ends" && mistake.parts % 2 == 0;
    if (is_even || mistake.name == "position_not_sent" || mistake.name == "relaxed_twice") {
      found.push_back(&mistake);
    }
  }
  EXPECT_EQ(names_of(found),
            (std::vector<std::string>{"parts_with_ends_2_4_6_8", "position_not_sent_2_to_8",
                                      "relaxed_twice"}));
  EXPECT_EQ(looks_of(found).size(), 3U);
  EXPECT_EQ(looks_of({&mistakes().front()}).at(0), mistakes().front().looks);
}

TEST(MistakesThatGive, AreNotComputedForLargeCases) {
  const Case many{.cells = 1000, .storms = {Storm{"", std::vector<Impact>(1001)}}};
  EXPECT_FALSE(shows_mistakes(many));
  EXPECT_FALSE(shows_mistakes({.cells = 1'000'001, .storms = {Storm{}}}));
  EXPECT_TRUE(mistakes_that_give({{0, 0}}, prepare({many}).front()).empty());
}

}  // namespace
}  // namespace bombard::judge
