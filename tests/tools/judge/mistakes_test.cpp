#include "tools/judge/mistakes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "tools/judge/prepared_case.hpp"

namespace bombard::judge {
namespace {

using enum Deviation;

/// Storms of the first edition, in which an energy of 1000 v comes to v.
Case storms_on(std::int64_t cells, const std::vector<std::vector<Impact>>& storms) {
  Case tried{.edition = Edition::first, .cells = cells};
  for (const std::vector<Impact>& impacts : storms) tried.storms.push_back({"", impacts});
  return tried;
}

// ---- by hand: shares of v at distance d are v / sqrt(d + 1), and a cell is a third of three ----

// Those that Verdicts.NameMistakes has no program for.
TEST(Deviations, ByHand) {
  const double r2 = std::sqrt(0.5), r3 = std::sqrt(1 / 3.0), peak = (1 + 2 * r2) / 3;
  const Case middle = storms_on(3, {{{1, 3000}}});
  const Case falling = storms_on(5, {{{0, 4000}}});
  const Case plateau = storms_on(6, {{{2, 1000}, {3, 1000}}});
  const Case smallest = storms_on(7, {{{3, 1}}});  // all shares but one are below the threshold
  const Case two = storms_on(7, {{{3, 1000}}, {{2, 9000}}});
  const Case border = storms_on(8, {{{4, 1000}}});  // the first cell of the second part
  const Case to_nothing = storms_on(7, {{{3, 9000}}, {}, {{3, -90000}}});
  const double first = 9 * peak, second = (first + 2 * 3 * (1 + r2 + r3)) / 3;
  const double lowest = std::numeric_limits<float>::lowest();
  const Case seven = storms_on(7, {{{5, 1000}}});  // two parts of three cells leave one over
  const struct {
    const Case& tried;
    std::set<Deviation> deviations;
    int parts;
    std::vector<Maximum> maxima;  ///< after the first storms
  } rows[] = {
      {middle, {}, 1, {{1, 3 * peak}}},
      {middle, {relaxed_twice}, 1, {{1, 2 * r2 + peak}}},
      {falling, {}, 1, {{0, 0}}},
      {falling, {ends_as_peaks}, 1, {{0, 4}}},
      {falling, {largest_inside_cell}, 1, {{1, 4 * (1 + r2 + r3) / 3}}},
      {plateau, {}, 1, {{0, 0}}},
      {smallest, {}, 1, {{0, 0}}},  // a plateau
      {smallest, {no_threshold}, 1, {{3, 0.001 * peak}}},
      {smallest, {threshold_of_other_edition}, 1, {{3, 0.001 * peak}}},
      {two, {storms_reversed}, 1, {{2, 9 * peak}}},
      {border, {}, 2, {{4, peak}}},
      {border, {borders_as_ends}, 2, {{0, 0}}},
      {border, {no_peaks_at_borders}, 2, {{0, 0}}},
      {to_nothing, {}, 1, {{3, first}, {3, second}, {0, 0}}},
      {to_nothing, {position_kept}, 1, {{3, first}, {3, second}, {3, 0}}},
      {to_nothing, {printed_position_kept}, 1, {{0, first}, {3, second}, {3, 0}}},
      {to_nothing, {lowest_without_peak}, 1, {{3, first}, {3, second}, {-1, lowest}}},
      {seven, {}, 2, {{5, peak}}},
      {seven, {left_over_dropped_behind_end}, 2, {{5, 1}}},
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
  /// What a mistake prints in all cases that are compared.
  std::string answers(const Mistake& mistake) const {
    std::string all;
    for (const Case& tried : cases_) {
      if (!MistakenAnswers::compares(tried)) continue;
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

// In the second edition the threshold leaves no share of an int's impact out, so that no answer
// shows whether it is there.
TEST_P(Mistakes, ChangeAnAnswerEachInItsOwnWay) {
  std::map<std::string, std::string> seen;
  seen[answers({})] = "the rule";
  for (const Mistake& mistake : mistakes()) {
    if (mistake.name == "no_threshold" && GetParam() == Edition::second) {
      EXPECT_EQ(answers(mistake), answers({}));
      continue;
    }
    const auto [same, is_new] = seen.emplace(answers(mistake), mistake.name);
    // Parts of equal size have nothing left over.
    EXPECT_TRUE(is_new || same->second == mistake.name) << mistake.name << " and " << same->second;
  }
}

INSTANTIATE_TEST_SUITE_P(Editions, Mistakes, testing::Values(Edition::first, Edition::second),
                         [](const auto& info) {
                           return info.param == Edition::first ? "First" : "Second";
                         });

TEST(MistakenAnswers, TellWhoseDigitsTheyAre) {
  const Case tried = storms_on(20, {{{7, 1000}, {12, 600}}});
  std::vector<Maximum> maxima = printed(maxima_with(tried, {no_relaxation}));
  MistakenAnswers mistaken;
  EXPECT_EQ(names_of(mistaken.that_give(tried, maxima)).at(0), "no_relaxation");
  maxima[0].value += 1e-5;
  EXPECT_TRUE(mistaken.that_give(tried, maxima).empty());
  EXPECT_TRUE(mistaken.that_give(tried, maxima, {0.9e-5}).empty());
  EXPECT_EQ(names_of(mistaken.that_give(tried, maxima, {1.1e-5})).at(0), "no_relaxation");
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

TEST(MistakenAnswers, OfLargeCasesAreNotComputed) {
  const Case many{.cells = 1000, .storms = {Storm{"", std::vector<Impact>(1001)}}};
  EXPECT_FALSE(MistakenAnswers::compares(many));
  EXPECT_FALSE(MistakenAnswers::compares({.cells = 1'000'001, .storms = {Storm{}}}));
  EXPECT_TRUE(MistakenAnswers().that_give(many, {{0, 0}}).empty());
}

}  // namespace
}  // namespace bombard::judge
