#include "tools/judge/judgement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/cli/reports/report.hpp"
#include "tools/judge/comparison.hpp"

namespace bombard::judge {

namespace {

/// How far the maximum after each storm may be from the right one: by roundings, or by the
/// tolerance if there is one.
std::vector<double> allowed_errors(const PreparedCase& prepared, const Options& options) {
  if (!options.tolerance) return prepared.roundings;
  std::vector<double> allowed;
  for (const Maximum& maximum : prepared.right) {
    allowed.push_back(*options.tolerance * (options.is_absolute_tolerance ? 1 : maximum.value));
  }
  return allowed;
}

/// The mistakes that explain the program: none that changes the digits of a right case, and of the
/// others those that give the digits of most cases, and of more than half of the wrong ones; of the
/// assignment, if there are such.
void look_for_mistakes(ProgramJudgement& judgement) {
  std::vector<CaseJudgement*> compared;
  bool is_of_the_assignment = false;
  for (CaseJudgement& of_case : judgement.cases) {
    const PreparedCase& tried = *of_case.prepared;
    if (!tried.mistaken.valid() || of_case.verdict > Verdict::wrong) continue;
    const bool is_wrong = of_case.verdict == Verdict::wrong;
    of_case.looks_like = mistakes_that_give(of_case.maxima, tried);
    if (is_wrong && of_case.looks_like.empty()) {
      of_case.looks_like = mistakes_that_give(of_case.maxima, tried, tried.roundings);
    }
    is_of_the_assignment = is_of_the_assignment || (is_wrong && !tried.is_beyond);
    compared.push_back(&of_case);
  }
  // Where most cases have no maxima, the others say little.
  if (2 * compared.size() < judgement.cases.size()) {
    for (CaseJudgement* of_case : compared) of_case->looks_like.clear();
    return;
  }
  std::size_t most = 0;
  for (const Mistake& mistake : mistakes()) {
    std::size_t explained = 0;
    int majority = 0;
    bool is_made = true;
    for (const CaseJudgement* of_case : compared) {
      const bool explains = std::ranges::count(of_case->looks_like, &mistake) > 0;
      if (explains) ++explained;
      if (of_case->verdict == Verdict::right && !explains) is_made = false;
      const bool is_weighed = !is_of_the_assignment || !of_case->prepared->is_beyond;
      if (of_case->verdict == Verdict::wrong && is_weighed) majority += explains ? 1 : -1;
    }
    if (!is_made) {
      for (CaseJudgement* of_case : compared) std::erase(of_case->looks_like, &mistake);
    } else if (majority > 0 && explained >= most) {
      if (explained > most) judgement.looks_like.clear();
      most = explained;
      judgement.looks_like.push_back(&mistake);
    }
  }
  for (CaseJudgement* of_case : compared) {
    if (of_case->verdict != Verdict::wrong) of_case->looks_like.clear();
  }
  if (judgement.looks_like.empty()) return;
  judgement.explanation =
      fmt::format("It looks like this: {}.\nThat gives its digits in {} of the {} compared.\n",
                  fmt::join(texts_of(judgement.looks_like, &Mistake::looks), "; or "), most,
                  plural(std::ssize(compared), "case"));
}

/// Whether all answers are zeros although some case has other ones: nothing is computed, and no
/// mistake explains that.
bool prints_zeros(const std::vector<CaseJudgement>& cases) {
  const auto is_wrong = [](const CaseJudgement& of_case) {
    return of_case.verdict == Verdict::wrong;
  };
  const auto has_zeros = [](const CaseJudgement& of_case) {
    return std::ranges::count(of_case.maxima, 0, &Maximum::value) == std::ssize(of_case.maxima);
  };
  return std::ranges::any_of(cases, is_wrong) && std::ranges::all_of(cases, has_zeros);
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
  const bool has_roundings = std::ranges::any_of(cases, [](const CaseJudgement& of_case) {
    return of_case.verdict == Verdict::rounding && !of_case.facts.layer_is_right;
  });
  std::string races;
  bool layers_are_right = true;
  for (CaseJudgement& of_case : cases) {
    of_case.facts.has_roundings = has_roundings;
    of_case.verdict = verdict(of_case.facts);
    if (of_case.verdict != Verdict::race) continue;
    races += (races.empty() ? "" : ", ") + of_case.prepared->name;
    layers_are_right = layers_are_right && of_case.facts.layer_is_right;
  }
  for (CaseJudgement& of_case : cases) {
    of_case.facts.has_race = !races.empty();
    of_case.facts.of_a_mistake = of_case.verdict == Verdict::rounding &&
                                 !mistakes_that_give(of_case.maxima, *of_case.prepared).empty();
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

/// What the cases together say of a program that is not right in all of them.
void explain(ProgramJudgement& judgement) {
  const std::string races = judge_together(judgement.cases);
  if (!races.empty()) {
    judgement.hints["race"] = fmt::format(
        "Its runs differ in {}: threads use memory that another one writes at the same time, "
        "memory is not set, or the answer depends on the number of threads.",
        races);
  }
  if (prints_zeros(judgement.cases)) {
    judgement.hints["zeros"] =
        "All its maxima are 0: no storm is computed, or what is computed does not reach its "
        "Result: line (a kernel that does not start, a result that is not copied or sent).";
    return;
  }
  look_for_mistakes(judgement);
  if (std::ranges::count(judgement.looks_like, "other_edition", &Mistake::name) > 0) {
    const bool is_second = judgement.cases.front().prepared->edition == Edition::second;
    judgement.hints["edition"] =
        fmt::format("The other edition fits: judge it with --edition {}.", is_second ? 1 : 2);
  }
}

/// The verdict on the program, and its times; no times if a case that counts for them is wrong.
void sum_up(ProgramJudgement& judgement) {
  double sequential = 0, seconds = 0, slowest = 0;
  for (const CaseJudgement& of_case : judgement.cases) {
    const PreparedCase& prepared = *of_case.prepared;
    if (prepared.counts && of_case.verdict > judgement.verdict) {
      judgement.verdict = of_case.verdict;
      judgement.reason = prepared.name + ": " + of_case.complaint;
    }
    if (!prepared.counts_speed) continue;
    sequential += of_case.sequential_seconds;
    const bool is_timed = of_case.verdict <= Verdict::rounding && !of_case.run_seconds.empty();
    seconds += is_timed ? of_case.seconds : unknown;
    slowest += is_timed ? std::ranges::max(of_case.run_seconds) : unknown;
  }
  if (!(seconds > 0)) return;
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
  if (!of_case.sequential_seconds.empty()) {
    judgement.sequential_seconds = std::ranges::min(of_case.sequential_seconds);
  }
  Facts& facts = judgement.facts;
  facts.with_tolerance = options.tolerance.has_value();
  const std::vector<double> allowed = allowed_errors(prepared, options);
  const std::vector<Maximum>* first = nullptr;
  const Run* worst = nullptr;
  for (const Run& run : of_case.runs) {
    if (run.is_timed) {
      judgement.time = std::fmin(judgement.time, run.answer.seconds.value_or(unknown));
      judgement.whole_seconds = std::fmin(judgement.whole_seconds, run.seconds);
      judgement.run_seconds.push_back(run.answer.seconds.value_or(run.seconds));
      judgement.seconds = std::fmin(judgement.seconds, judgement.run_seconds.back());
    }
    if (run.verdict == Verdict::right) {
      const bool is_new = first == nullptr || run.answer.maxima != *first;
      if (first == nullptr) first = &run.answer.maxima;
      if (is_new) add_answer(run.answer.maxima, *first, allowed, judgement);
    } else if (run.verdict > facts.of_runs) {
      facts.of_runs = run.verdict;
      worst = &run;
    }
  }
  if (worst != nullptr) judgement.complaint = worst->complaint;
  judgement.verdict = verdict(facts);
  return judgement;
}

ProgramJudgement judgement_of(const ProgramRuns& runs) {
  ProgramJudgement judgement{.program = runs.program,
                             .threads = runs.options.threads,
                             .failed_build = runs.failed_build,
                             .reason = runs.failed_build};
  if (!runs.failed_build.empty()) judgement.verdict = Verdict::no_answer;
  for (const CaseRuns& of_case : runs.cases) {
    judgement.cases.push_back(judgement_of(of_case, runs.options));
    for (const Run& run : of_case.runs) judgement.hints.insert(run.hints.begin(), run.hints.end());
  }
  const auto is_right = [](const CaseJudgement& one) { return one.verdict == Verdict::right; };
  if (!std::ranges::all_of(judgement.cases, is_right)) explain(judgement);
  sum_up(judgement);
  return judgement;
}

}  // namespace bombard::judge
