#include "tools/judge/mistakes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tools/judge/right_answer.hpp"

namespace bombard::judge {
namespace {

using Maxima = std::vector<Maximum>;

/// One storm of the first edition, in which an energy of 1000 v comes to v.
Case storm_on(std::int64_t cells, std::vector<Impact> impacts) {
  return {.edition = Edition::first, .cells = cells, .storms = {Storm{"", std::move(impacts)}}};
}

// ---- by hand ----

// A share of 3 in the middle, and of 3 / sqrt(2) = 2.12132 at the ends.
TEST(Deviations, OfTheRelaxation) {
  using Relaxation = Deviation::Relaxation;
  const Case tried = storm_on(3, {{1, 3000}});
  const auto maximum = [&](Relaxation relaxation) {
    return sequential_maxima(tried, {.relaxation = relaxation}).at(0).value;
  };
  EXPECT_NEAR(maximum(Relaxation::of_a_copy), (2 * 2.12132 + 3) / 3, 1e-5);
  EXPECT_NEAR(maximum(Relaxation::none), 3, 1e-5);
  EXPECT_EQ(maximum(Relaxation::in_place), maximum(Relaxation::of_a_copy));  // one cell is relaxed
  EXPECT_NEAR(maximum(Relaxation::twice), (2 * 2.12132 + 2.41421) / 3, 1e-5);
}

// The layer falls from its first cell, 4, to its last one.
TEST(Deviations, OfTheMaximum) {
  using Peaks = Deviation::Peaks;
  const Case tried = storm_on(5, {{0, 4000}});
  EXPECT_EQ(sequential_maxima(tried), (Maxima{{0, 0}}));
  EXPECT_EQ(sequential_maxima(tried, {.peaks = Peaks::largest_cell}), (Maxima{{0, 4}}));
  EXPECT_EQ(sequential_maxima(tried, {.peaks = Peaks::with_ends}), (Maxima{{0, 4}}));
  const Maximum inside = sequential_maxima(tried, {.peaks = Peaks::largest_inside_cell}).at(0);
  EXPECT_EQ(inside.position, 1);
  EXPECT_NEAR(inside.value, (4 + 4 / std::sqrt(2.0) + 4 / std::sqrt(3.0)) / 3, 1e-5);
}

TEST(Deviations, OfEqualCells) {
  const Case mirrored = storm_on(9, {{1, 1000}, {7, 1000}});
  EXPECT_EQ(sequential_maxima(mirrored).at(0).position, 1);
  EXPECT_EQ(sequential_maxima(mirrored, {.larger_position = true}).at(0).position, 7);
  const Case plateau = storm_on(6, {{2, 1000}, {3, 1000}});
  EXPECT_EQ(sequential_maxima(plateau), (Maxima{{0, 0}}));
  EXPECT_EQ(sequential_maxima(plateau, {.peaks = Deviation::Peaks::with_plateaus}).at(0).position,
            2);
}

// 0.001 at distance 1 is the smallest share; those of 0.001 / sqrt(2) beside it are below it.
// Nothing else is in the layer, so that the peak is a third of what counts.
TEST(Deviations, OfTheThreshold) {
  const Case tried = storm_on(7, {{3, 1}});
  const double share = 0.001;
  EXPECT_EQ(sequential_maxima(tried), (Maxima{{0, 0}}));  // a plateau of 0.001 / 3
  EXPECT_NEAR(sequential_maxima(tried, {.threshold = false}).at(0).value,
              (share + 2 * share / std::sqrt(2.0)) / 3, 1e-9);
  EXPECT_EQ(sequential_maxima(tried, {.other_threshold = true}),
            sequential_maxima(tried, {.threshold = false}));
}

TEST(Deviations, OfStorms) {
  Case tried = storm_on(7, {{3, 1000}});
  tried.storms.push_back(Storm{"", {{2, 9000}}});
  const Maxima right = sequential_maxima(tried);
  const Maxima forgotten = sequential_maxima(tried, {.layer_kept = false});
  EXPECT_EQ(forgotten[0], right[0]);
  EXPECT_LT(forgotten[1].value, right[1].value);
  EXPECT_EQ(sequential_maxima(tried, {.storms_reversed = true})[0], forgotten[1]);
}

// The peak is the first cell of the second of two parts.
TEST(Deviations, OfParts) {
  using Borders = Deviation::Borders;
  const Case tried = storm_on(8, {{4, 1000}});
  const auto maximum = [&](Borders borders) {
    return sequential_maxima(tried, {.parts = 2, .borders = borders}).at(0);
  };
  EXPECT_EQ(maximum(Borders::right), sequential_maxima(tried).at(0));
  EXPECT_EQ(maximum(Borders::as_ends), (Maximum{0, 0}));
  EXPECT_EQ(maximum(Borders::without_peaks), (Maximum{0, 0}));
  // Cell 4 takes its left neighbour from before the storm, a 0, and falls below cell 5.
  const Maximum old = maximum(Borders::without_new_shares);
  EXPECT_EQ(old.position, 5);
  EXPECT_NEAR(old.value, (1 + 1 / std::sqrt(2.0) + 1 / std::sqrt(3.0)) / 3, 1e-6);
}

// Peaks of 1 at cells 2 and 13, in the first and the last of four parts.
TEST(Deviations, OfReductions) {
  using Reduction = Deviation::Reduction;
  Case tried = storm_on(16, {{2, 1000}, {13, 1001}});
  const auto maximum = [&](Reduction reduction) {
    return sequential_maxima(tried, {.parts = 4, .reduction = reduction}).at(0);
  };
  const Maximum right = maximum(Reduction::together);
  EXPECT_EQ(right.position, 13);
  EXPECT_EQ(maximum(Reduction::position_of_first_part), (Maximum{2, right.value}));
  tried = storm_on(16, {{2, 1001}, {13, 1000}});
  EXPECT_EQ(maximum(Reduction::together).position, 2);
  EXPECT_EQ(maximum(Reduction::position_apart).position, 13);
}

// A peak of 9, then one of less than that, then none.
TEST(Deviations, OfWhatIsKept) {
  using Kept = Deviation::Kept;
  Case tried = storm_on(7, {{3, 9000}});
  tried.storms.push_back(Storm{"", {{4, 1}}});
  tried.storms.push_back(Storm{"", {{3, -90000}}});
  const auto maxima = [&](Kept kept) { return sequential_maxima(tried, {.kept = kept}); };
  const Maxima right = maxima(Kept::nothing);
  EXPECT_LT(right[1].value, right[0].value);
  EXPECT_EQ(right[2], (Maximum{0, 0}));
  EXPECT_EQ(maxima(Kept::position)[2], (Maximum{right[1].position, 0}));
  EXPECT_EQ(maxima(Kept::maximum), (Maxima{right[0], right[0], right[0]}));
  EXPECT_EQ(maxima(Kept::printed_position)[0].position, 0);
  EXPECT_EQ(maxima(Kept::printed_position)[1], (Maximum{right[0].position, right[1].value}));
  EXPECT_EQ(sequential_maxima(tried, {.no_peak = {-1, 0}})[2], (Maximum{-1, 0}));
}

// Seven cells are three for each of two parts: the last one stays 0, and so does what it gives.
TEST(Deviations, OfCellsThatAreLeftOver) {
  using LeftOver = Deviation::LeftOver;
  const Case tried = storm_on(7, {{5, 1000}});
  const auto maximum = [&](LeftOver left_over) {
    return sequential_maxima(tried, {.parts = 2, .left_over = left_over}).at(0);
  };
  EXPECT_NEAR(sequential_maxima(tried).at(0).value, (1 + 2 / std::sqrt(2.0)) / 3, 1e-6);
  EXPECT_NEAR(maximum(LeftOver::dropped).value, (1 / std::sqrt(3.0) + 1 / std::sqrt(2.0) + 1) / 3,
              1e-6);
  EXPECT_NEAR(maximum(LeftOver::dropped_behind_end).value, 1, 1e-6);
}

// The peak is the first cell of the second part, and its neighbours are 1 / sqrt(2).
TEST(Deviations, OfNeighboursAtBorders) {
  using Borders = Deviation::Borders;
  const Case tried = storm_on(8, {{4, 1000}});
  const auto maximum = [&](Borders borders) {
    return sequential_maxima(tried, {.parts = 2, .borders = borders}).at(0);
  };
  EXPECT_NEAR(maximum(Borders::one_too_far).value,
              (1 / std::sqrt(3.0) + 1 + 1 / std::sqrt(2.0)) / 3, 1e-6);
  const Case before = storm_on(8, {{3, 1000}});
  EXPECT_NEAR(
      sequential_maxima(before, {.parts = 2, .borders = Borders::last_not_relaxed}).at(0).value, 1,
      1e-6);
}

TEST(Deviations, TwoAtOnce) {
  const Deviation relaxation{.relaxation = Deviation::Relaxation::none};
  const Deviation position{.larger_position = true};
  const auto joined = both(relaxation, position);
  ASSERT_TRUE(joined);
  EXPECT_TRUE(joined->larger_position);
  EXPECT_EQ(joined->relaxation, Deviation::Relaxation::none);
  EXPECT_FALSE(both(relaxation, {.relaxation = Deviation::Relaxation::twice}));
  EXPECT_FALSE(both({.parts = 2}, {.parts = 3}));
  EXPECT_FALSE(both({.parts = 2}, {.parts = 2, .left_over = Deviation::LeftOver::spread}));
}

TEST(Deviations, OfMorePartsThanCells) {
  for (const auto left_over : {Deviation::LeftOver::to_first_parts,
                               Deviation::LeftOver::to_last_part, Deviation::LeftOver::spread}) {
    for (std::int64_t cells = 1; cells < 10; ++cells) {
      const Case tried = storm_on(cells, {{cells / 2, 1000}});
      for (int parts = 1; parts < 12; ++parts) {
        EXPECT_EQ(sequential_maxima(tried, {.parts = parts, .left_over = left_over}),
                  sequential_maxima(tried));
      }
    }
  }
}

// ---- all of them, on the cases ----

class Mistakes : public testing::TestWithParam<Edition> {
 protected:
  /// What a deviation prints in all cases that are compared.
  std::vector<std::vector<PrintedMaximum>> answers(const Deviation& deviation) const {
    std::vector<std::vector<PrintedMaximum>> all;
    for (const Case& tried : cases_) {
      if (MistakenAnswers::compares(tried)) {
        all.push_back(printed(sequential_maxima(tried, deviation)));
      }
    }
    return all;
  }

  std::vector<Case> cases_ = quick_cases(GetParam());
};

TEST_P(Mistakes, NoneIsTheRule) {
  for (const Case& tried : cases_) {
    EXPECT_EQ(sequential_maxima(tried), right_answer(tried).maxima) << tried.name;
  }
}

// In the second edition the threshold leaves no share of an int's impact out, so that no answer
// shows whether it is there.
TEST_P(Mistakes, ChangeAnAnswerEachInItsOwnWay) {
  std::map<std::vector<std::vector<PrintedMaximum>>, std::string> seen;
  seen[answers({})] = "the rule";
  for (const Mistake& mistake : mistakes()) {
    if (mistake.name == "no_threshold" && GetParam() == Edition::second) {
      EXPECT_EQ(answers(mistake.deviation), answers({}));
      continue;
    }
    const auto [same, is_new] = seen.emplace(answers(mistake.deviation), mistake.name);
    // Parts of equal size have nothing left over.
    EXPECT_TRUE(is_new || same->second == mistake.name) << mistake.name << " and " << same->second;
  }
}

INSTANTIATE_TEST_SUITE_P(Editions, Mistakes, testing::Values(Edition::first, Edition::second),
                         [](const auto& info) {
                           return info.param == Edition::first ? "First" : "Second";
                         });

TEST(MistakenAnswers, TellWhoseDigitsTheyAre) {
  const std::vector<Case> cases = quick_cases(Edition::second);
  const Case& ties = *std::ranges::find(cases, "ties", &Case::name);
  MistakenAnswers mistaken;
  const std::vector<const Mistake*> found =
      mistaken.that_give(ties, printed(sequential_maxima(ties, {.larger_position = true})));
  EXPECT_EQ(names_of(found).front(), "larger_position");
  EXPECT_TRUE(mistaken.that_give(ties, {{7, 1.0}}).empty());
}

TEST(MistakenAnswers, MayBeOffByRoundings) {
  const Case tried = storm_on(20, {{7, 1000}, {12, 600}});
  std::vector<PrintedMaximum> maxima =
      printed(sequential_maxima(tried, {.relaxation = Deviation::Relaxation::none}));
  maxima[0].value += 1e-5;
  MistakenAnswers mistaken;
  EXPECT_TRUE(mistaken.that_give(tried, maxima).empty());
  EXPECT_TRUE(mistaken.that_give(tried, maxima, {0.9e-5}).empty());
  EXPECT_EQ(names_of(mistaken.that_give(tried, maxima, {1.1e-5})).at(0), "no_relaxation");
}

TEST(MistakenAnswers, OfTwoAtOnce) {
  const std::vector<Case> cases = quick_cases(Edition::second);
  const Case& ties = *std::ranges::find(cases, "ties", &Case::name);
  const Case& ends = *std::ranges::find(cases, "ends", &Case::name);
  const Deviation joined{.relaxation = Deviation::Relaxation::none, .larger_position = true};
  const std::vector<PrintedMaximum> of_ties = printed(sequential_maxima(ties, joined));
  const std::vector<PrintedMaximum> of_ends = printed(sequential_maxima(ends, joined));
  EXPECT_EQ(names_of(MistakenAnswers().pairs_that_give({{&ties, &of_ties}, {&ends, &of_ends}})),
            std::vector<std::string>{"no_relaxation+larger_position"});
}

TEST(MistakeNames, HaveARangeOfParts) {
  std::vector<const Mistake*> found;
  for (const Mistake& mistake : mistakes()) {
    const int parts = mistake.deviation.parts;
    const bool is_even = mistake.name == "parts_with_ends" && parts % 2 == 0;
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
