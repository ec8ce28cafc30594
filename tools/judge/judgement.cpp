#include "tools/judge/judgement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/judge/comparison.hpp"

namespace bombard::judge {

namespace {

/// What the digits of all runs show, each by itself and beside the first one.
void judge_digits(CaseJudgement& judgement, const std::vector<std::vector<Maximum>>& answers,
                  const std::vector<double>& allowed) {
  const PreparedCase& prepared = *judgement.prepared;
  Facts& facts = judgement.facts;
  for (const std::vector<Maximum>& maxima : answers) {
    const Difference difference = difference_of(maxima, prepared, allowed);
    judgement.distance = std::fmax(judgement.distance, difference.distance);
    if (facts.of_digits == Verdict::right) judgement.maxima = maxima;
    if (difference.verdict > facts.of_digits) {
      facts.of_digits = difference.verdict;
      judgement.complaint = difference.text;
      facts.has_few_digits = difference.has_few_digits;
    }
    facts.differ = facts.differ || maxima != answers.front();
    facts.with_tolerance = facts.with_tolerance && !difference.exceeds;
    if (judgement.between_runs.empty()) {
      judgement.between_runs = difference_between(answers.front(), maxima, prepared, allowed);
    }
  }
  facts.differ_by_more = !judgement.between_runs.empty();
  facts.layer_is_right =
      facts.of_digits == Verdict::right || std::ranges::all_of(answers, [&](const auto& maxima) {
        return is_of_the_rule(maxima, prepared);
      });
}

/// Wrong cases of the assignment are explained first, then those beyond it, then imprecise ones.
int urgency(const CaseJudgement& judgement) {
  if (judgement.verdict != Verdict::wrong) return judgement.verdict == Verdict::rounding ? 1 : 0;
  return judgement.prepared->is_beyond ? 2 : 3;
}

/// The mistakes that give the digits of most cases, and of more than half of the most urgent ones.
/// A mistake that changes the digits of a right case is not made; a race has digits of roundings by
/// chance.
void look_for_a_mistake(ProgramJudgement& judgement, bool has_race) {
  std::vector<CaseJudgement*> compared;
  int most_urgent = 1;
  for (CaseJudgement& of_case : judgement.cases) {
    most_urgent = std::max(most_urgent, urgency(of_case));
    const bool is_known = of_case.prepared->mistaken.valid();
    if (is_known && of_case.verdict <= Verdict::wrong) compared.push_back(&of_case);
  }
  judgement.compared = compared.size();
  for (const Mistake& mistake : mistakes()) {
    std::size_t explained = 0;
    int majority = 0;
    bool is_made = !has_race || !mistake.is_of_arithmetic;
    for (const CaseJudgement* of_case : compared) {
      const bool explains = std::ranges::count(of_case->looks_like, &mistake) > 0;
      if (explains) ++explained;
      if (urgency(*of_case) == most_urgent) majority += explains ? 1 : -1;
      if (of_case->verdict == Verdict::right && !explains) is_made = false;
    }
    for (CaseJudgement* of_case : compared) {
      if (!is_made && of_case->verdict != Verdict::right) std::erase(of_case->looks_like, &mistake);
    }
    if (!is_made || majority <= 0 || explained < judgement.explained) continue;
    if (explained > judgement.explained) judgement.looks_like.clear();
    judgement.explained = explained;
    judgement.looks_like.push_back(&mistake);
  }
}

/// Whether all answers are zeros although some case has other ones: nothing is computed, and no
/// mistake explains that.
bool prints_zeros(const std::vector<CaseJudgement>& cases) {
  bool is_wrong = false;
  for (const CaseJudgement& of_case : cases) {
    is_wrong = is_wrong || of_case.verdict == Verdict::wrong;
    const auto is_zero = [](const Maximum& maximum) { return maximum.value == 0; };
    if (!std::ranges::all_of(of_case.maxima, is_zero)) return false;  // without an answer, none
  }
  return is_wrong;
}

/// The mistakes that give a case's digits or, apart from roundings, its maxima.
void compare_with_mistakes(CaseJudgement& judgement) {
  if (judgement.verdict > Verdict::wrong) return;
  const PreparedCase& tried = *judgement.prepared;
  judgement.looks_like = mistakes_that_give(judgement.maxima, tried);
  judgement.facts.of_a_mistake = std::ranges::any_of(
      judgement.looks_like, [](const Mistake* mistake) { return !mistake->is_of_arithmetic; });
  if (judgement.verdict == Verdict::wrong && judgement.looks_like.empty()) {
    judgement.looks_like = mistakes_that_give(judgement.maxima, tried, tried.roundings);
  }
}

/// What explains a rounding. `races` are the cases in which the program has a race.
std::string explanation_of_rounding(const Facts& facts, const std::string& races) {
  if (facts.with_tolerance) return "; within the tolerance";
  if (facts.has_few_digits) return "";
  if (!races.empty()) return "; a race, as in " + races;
  return facts.differ
             ? "; the order of the sum differs between runs"
             : "; roundings explain it: another order of the sum, double, FMA or -ffast-math";
}

/// Judges the cases with regard to each other. Returns the names of those with a race.
std::string judge_together(std::vector<CaseJudgement>& cases) {
  bool has_roundings = false, layers_are_right = true;
  for (const CaseJudgement& of_case : cases) {
    const bool is_rounding = of_case.verdict == Verdict::rounding;
    has_roundings = has_roundings || (is_rounding && !of_case.facts.layer_is_right);
  }
  std::string races;
  for (CaseJudgement& of_case : cases) {
    of_case.facts.has_roundings = has_roundings;
    of_case.verdict = verdict(of_case.facts);
    if (of_case.verdict != Verdict::race) continue;
    races += (races.empty() ? "" : ", ") + of_case.prepared->name;
    layers_are_right = layers_are_right && of_case.facts.layer_is_right;
  }
  for (CaseJudgement& of_case : cases) {
    of_case.facts.has_race = !races.empty();
    compare_with_mistakes(of_case);
    of_case.verdict = verdict(of_case.facts);
    if (of_case.verdict == Verdict::rounding) {
      of_case.complaint += explanation_of_rounding(of_case.facts, races);
    } else if (of_case.verdict == Verdict::race && !of_case.between_runs.empty()) {
      of_case.complaint = fmt::format(
          "differs from run to run{}: {}",
          layers_are_right ? ": the layer is right; the search for the maximum is a race"
                           : ", a race or memory that is not set",
          of_case.between_runs);
    }
  }
  return races;
}

/// The verdict on the program, and its times; no times if a case that counts for them is wrong.
void sum_up(ProgramJudgement& judgement) {
  if (!judgement.failed_build.empty()) judgement.verdict = Verdict::no_answer;
  double sequential = 0, seconds = 0, slowest = 0;
  bool is_timed = true;
  for (const CaseJudgement& of_case : judgement.cases) {
    const PreparedCase& prepared = *of_case.prepared;
    if (prepared.counts) judgement.verdict = std::max(judgement.verdict, of_case.verdict);
    if (!prepared.counts_speed) continue;
    is_timed =
        is_timed && of_case.verdict <= Verdict::rounding && !std::isnan(of_case.whole_seconds);
    if (!is_timed) continue;
    sequential += of_case.sequential_seconds;
    seconds += std::ranges::min(of_case.run_seconds);
    slowest += std::ranges::max(of_case.run_seconds);
  }
  if (!is_timed || seconds <= 0) return;
  judgement.seconds = seconds;
  judgement.speedup = sequential / seconds;
  judgement.spread = slowest / seconds - 1;
}

}  // namespace

bool passes(Verdict verdict, const Options& options) {
  return verdict == Verdict::right || (verdict == Verdict::rounding && options.tolerance != 0.0);
}

CaseJudgement judgement_of(const CaseRuns& of_case, const Options& options) {
  const PreparedCase& prepared = *of_case.prepared;
  CaseJudgement judgement{.prepared = &prepared, .sequential_seconds = prepared.sequential_seconds};
  judgement.facts.with_tolerance = options.tolerance.has_value();
  if (!of_case.sequential_seconds.empty()) {
    judgement.sequential_seconds = std::ranges::min(of_case.sequential_seconds);
  }
  std::vector<std::vector<Maximum>> answers;
  for (const Run& run : of_case.runs) {
    if (run.is_timed) {
      judgement.time = std::fmin(judgement.time, run.answer.seconds.value_or(unknown));
      judgement.whole_seconds = std::fmin(judgement.whole_seconds, run.seconds);
      judgement.run_seconds.push_back(run.answer.seconds.value_or(run.seconds));
    }
    if (run.verdict == Verdict::right) answers.push_back(run.answer.maxima);
  }
  judge_digits(judgement, answers, allowed_errors(prepared, options));
  for (const Run& run : of_case.runs) {
    if (run.verdict <= judgement.facts.of_runs) continue;
    judgement.facts.of_runs = run.verdict;
    judgement.complaint = run.complaint;
  }
  judgement.verdict = verdict(judgement.facts);
  return judgement;
}

ProgramJudgement judgement_of(const ProgramRuns& runs) {
  const Options& options = runs.options;
  ProgramJudgement judgement{
      .program = runs.program, .threads = options.threads, .failed_build = runs.failed_build};
  for (const CaseRuns& of_case : runs.cases) {
    judgement.cases.push_back(judgement_of(of_case, options));
    for (const Run& run : of_case.runs) judgement.hints.insert(run.hints.begin(), run.hints.end());
  }
  const auto is_right = [](const CaseJudgement& one) { return one.verdict == Verdict::right; };
  if (!std::ranges::all_of(judgement.cases, is_right)) {
    const std::string races = judge_together(judgement.cases);
    if (prints_zeros(judgement.cases)) {
      for (CaseJudgement& of_case : judgement.cases) of_case.looks_like.clear();
      judgement.hints["zeros"] =
          "All its maxima are 0: no storm is computed, or what is computed does not reach its "
          "Result: line (a kernel that does not start, a result that is not copied or sent).";
    } else {
      look_for_a_mistake(judgement, !races.empty());
    }
    if (!races.empty()) {
      judgement.hints["race"] = fmt::format(
          "Its runs differ in {}: threads change the same memory without protection, or memory is "
          "not set.",
          races);
    }
  }
  for (const Mistake* mistake : judgement.looks_like) {
    if (mistake->name != "other_edition") continue;
    const bool is_second = judgement.cases.front().prepared->edition == Edition::second;
    judgement.hints["edition"] =
        fmt::format("The other edition fits: judge it with --edition {}.", is_second ? 1 : 2);
  }
  sum_up(judgement);
  return judgement;
}

}  // namespace bombard::judge
