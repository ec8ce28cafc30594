// Judgements on programs that need not run: what they print is known.

#include "tools/judge/judgement.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace bombard::judge {
namespace {

/// The cases in which every mistake shows, prepared once.
const std::vector<PreparedCase>& cases() {
  static const std::vector<PreparedCase> all = [] {
    std::vector<Case> quick = quick_cases(Edition::second);
    std::erase_if(quick, [](const Case& tried) { return !shows_mistakes(tried); });
    return prepare(std::move(quick));
  }();
  return all;
}

std::vector<std::string> names_of(const std::vector<const Mistake*>& mistakes) {
  return texts_of(mistakes, &Mistake::name);
}

/// The judgement on a program that prints this in all runs.
ProgramJudgement judgement_on(const SixSteps& replaced) {
  ProgramRuns runs;
  for (const PreparedCase& prepared : cases()) {
    Run run;
    run.answer = parse_answer(result_line(SteppedProgram(prepared, replaced).maxima()),
                              prepared.storms.size());
    runs.cases.push_back({&prepared, {run, run, run}});
  }
  return judgement_of(runs);
}

TEST(Judgements, NameEachMistake) {
  EXPECT_EQ(judgement_on({}).verdict, Verdict::right);
  for (const Mistake& mistake : mistakes()) {
    if (mistake.name == "no_threshold") continue;  // the second edition needs none
    const ProgramJudgement judgement = judgement_on(mistake.replaced);
    EXPECT_EQ(names_of(judgement.looks_like), std::vector{std::string(mistake.name)});
    EXPECT_NE(std::ranges::count(judgement.looks_like, &mistake), 0) << mistake.looks;
    EXPECT_NE(std::ranges::count(judgement.cases, Verdict::wrong, &CaseJudgement::verdict), 0);
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
  const ProgramJudgement judgement = judgement_on(both);
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
  ProgramRuns runs;
  for (const PreparedCase& prepared : cases()) {
    judge::Run run;
    run.answer.maxima = prepared.right;
    run.hints["time"] = "Its Time: " + prepared.name;
    runs.cases.push_back({&prepared, {run}});
  }
  EXPECT_EQ(judgement_of(runs).hints, (Hints{{"time", "Its Time: three_cells"}}));
}

}  // namespace
}  // namespace bombard::judge
