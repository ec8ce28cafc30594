// Judgements on programs that need not run: what they print is known.

#include "tools/judge/judgement.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/text.hpp"
#include "tests/tools/judge/printed.hpp"

namespace bombard::judge {
namespace {

std::vector<std::string> names_of(const std::vector<const Mistake*>& mistakes) {
  return texts_of(mistakes, &Mistake::name);
}

/// Of a program with these steps, but for others in a case of this name.
ProgramRuns runs_with(const SixSteps& replaced, std::string_view name = "",
                      const SixSteps& others = {}) {
  return runs_of([&](const Case& tried) {
    return SteppedProgram(tried, tried.name == name ? others : replaced).maxima();
  });
}

TEST(Judgements, NameEachMistake) {
  EXPECT_EQ(judgement_of(runs_with({})).verdict, Verdict::right);
  for (const Mistake& mistake : mistakes()) {
    const ProgramJudgement judgement = judgement_of(runs_with(mistake.replaced));
    // No share of an int's impact is below the threshold of the second edition.
    const bool is_none = mistake.name == "no_threshold";
    EXPECT_EQ(std::ranges::count(judgement.cases, Verdict::wrong, &CaseJudgement::verdict) == 0,
              is_none);
    if (is_none) continue;
    EXPECT_EQ(names_of(judgement.looks_like), std::vector{std::string(mistake.name)});
    EXPECT_NE(std::ranges::count(judgement.looks_like, &mistake), 0) << mistake.looks;
    for (const CaseJudgement& of_case : judgement.cases) {
      const bool is_named = std::ranges::count(of_case.looks_like, &mistake) > 0;
      EXPECT_EQ(is_named, of_case.verdict == Verdict::wrong) << mistake.looks;
    }
  }
}

const SixSteps& steps_of(std::string_view name) {
  return std::ranges::find(mistakes(), name, &Mistake::name)->replaced;
}

// Of two mistakes, the assignment's counts; a case that shows only another one has that.
TEST(Judgements, NameTheMistakeOfACaseBeside) {
  SixSteps both = steps_of("parts_with_larger_position");
  both.threshold = steps_of("no_negative_shares").threshold;
  const ProgramJudgement judgement = judgement_of(runs_with(both));
  EXPECT_EQ(names_of(judgement.looks_like), std::vector<std::string>{"parts_with_larger_position"});
  for (const CaseJudgement& of_case : judgement.cases) {
    const bool is_other = of_case.prepared->name == "zero_and_negative";
    const bool is_wrong = is_other || of_case.prepared->name == "ties";
    EXPECT_EQ(of_case.verdict, is_wrong ? Verdict::wrong : Verdict::right) << of_case.complaint;
    if (!is_other) continue;
    EXPECT_EQ(names_of(of_case.looks_like), std::vector<std::string>{"no_negative_shares"});
  }
}

// A hint has one example, however many cases show it.
TEST(Judgements, HaveAHintOfAKindOnce) {
  EXPECT_EQ(judgement_of(runs_with(SixSteps{})).hints, (Hints{{"time", "Its Time: three_cells"}}));
}

// A mistake that does not show where it must is not made.
TEST(Judgements, NameNoMistakeThatARightCaseRulesOut) {
  const ProgramJudgement judgement =
      judgement_of(runs_with(steps_of("no_relaxation"), "random_impacts"));
  EXPECT_TRUE(judgement.looks_like.empty());
  for (const CaseJudgement& of_case : judgement.cases) EXPECT_TRUE(of_case.looks_like.empty());
}

// Beside a race, digits of a mistake that roundings explain, too, are there by chance.
TEST(Judgements, OfDigitsOfAMistakeBesideARace) {
  const std::string_view looks = "the last cell gets no energy: the loop ends at CELLS - 1";
  ProgramRuns runs =
      runs_with({}, "many_storms", std::ranges::find(mistakes(), looks, &Mistake::looks)->replaced);
  for (const bool has_race : {false, true}) {
    if (has_race) runs.cases.front().runs.front().answer.maxima.front().value += 1000;
    ProgramJudgement judgement = judgement_of(runs);
    for (const CaseJudgement& of_case : judgement.cases) {
      if (of_case.prepared->name != "many_storms") continue;
      EXPECT_EQ(of_case.verdict, has_race ? Verdict::rounding : Verdict::wrong);
    }
    EXPECT_EQ(tests::contains(judgement.hints["race"], "Its runs differ in three_cells: threads"),
              has_race);
  }
}

}  // namespace
}  // namespace bombard::judge
