#include "tools/judge/judgement.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <system_error>
#include <utility>

#include "bombard/errors.hpp"
#include "tools/cli/signals.hpp"
#include "tools/judge/comparison.hpp"
#include "tools/judge/run.hpp"

namespace bombard::judge {

namespace {

constexpr std::array<std::string_view, 7> words_for_verdicts{
    "right", "rounding", "wrong", "race", "crash", "timeout", "no_answer"};

bool is_more_than_imprecise(const CaseJudgement& judgement) {
  return judgement.verdict > Verdict::rounding;
}

// A program that does not end would otherwise take a class's whole afternoon.
constexpr int most_that_hang = 3;

void take_least(std::optional<double>& least, std::optional<double> seconds) {
  if (seconds) least = std::min(least.value_or(*seconds), *seconds);
}

/// What a run's digits say, beside those of the first run.
void judge_digits(CaseJudgement& judgement, const Run& run, const std::vector<double>& allowed) {
  const PreparedCase& prepared = *judgement.prepared;
  const std::vector<Maximum>& maxima = run.answer.maxima;
  if (judgement.maxima.empty()) judgement.maxima = maxima;
  const Difference difference = difference_of(maxima, prepared, allowed);
  judgement.distance = std::max(judgement.distance.value_or(0), difference.distance);
  const Verdict verdict = difference.text.empty() ? Verdict::right
                          : difference.is_allowed ? Verdict::rounding
                                                  : Verdict::wrong;
  if (verdict > judgement.verdict) {
    judgement.verdict = verdict;
    judgement.complaint = difference.text;
  }
  judgement.runs_differ |= maxima != judgement.maxima;
  const std::string between = difference_between(judgement.maxima, maxima, prepared, allowed);
  if (between.empty() || judgement.verdict == Verdict::rounding) return;
  judgement.verdict = Verdict::race;
  judgement.complaint = "differs from run to run, a race or memory that is not set: " + between;
}

}  // namespace

CaseJudgement judge_case(const std::string& program, const PreparedCase& prepared,
                         const Options& options, std::set<std::string>& hints,
                         MistakenAnswers* mistaken) {
  constexpr int runs_that_show_a_race = 3;
  const std::vector<double> allowed = allowed_errors(prepared, options);
  CaseJudgement judgement{.prepared = &prepared};
  int wanted = options.repeat;
  for (int i = 0; i < wanted && judgement.verdict < Verdict::race; ++i) {
    const Run run = run_on(prepared, program, options, options.timed && i < options.repeat);
    hints.insert(run.hints.begin(), run.hints.end());
    judgement.is_of_other_storms |= run.answer.is_of_other_storms;
    take_least(judgement.time, run.answer.seconds);
    take_least(judgement.whole_seconds, run.seconds);
    if (i < options.repeat) {
      judgement.run_seconds.push_back(run.answer.seconds.value_or(run.seconds));
    }
    if (run.verdict == Verdict::right) {
      judge_digits(judgement, run, allowed);
    } else {
      judgement.verdict = run.verdict;
      judgement.complaint = run.complaint;
    }
    const bool is_explained = judgement.verdict == Verdict::wrong && mistaken != nullptr &&
                              !mistaken->that_give(prepared, judgement.maxima).empty();
    if (judgement.verdict != Verdict::right && !is_explained) {
      wanted = std::max(wanted, runs_that_show_a_race);
    }
  }
  return judgement;
}

namespace {

/// The mistakes that give the digits of most cases, and of more than half of the wrong ones; where
/// no case is more than imprecise, of those.
void look_for_a_mistake(ProgramJudgement& judgement) {
  const bool is_wrong = std::ranges::any_of(judgement.cases, is_more_than_imprecise);
  std::map<const Mistake*, std::size_t> all, wrong;
  std::size_t all_wrong = 0;
  for (const CaseJudgement& of_case : judgement.cases) {
    if (!MistakenAnswers::compares(*of_case.prepared)) continue;
    const bool counts = of_case.verdict > (is_wrong ? Verdict::rounding : Verdict::right);
    ++judgement.compared;
    if (counts) ++all_wrong;
    for (const Mistake* mistake : of_case.looks_like) {
      ++all[mistake];
      if (counts) ++wrong[mistake];
    }
  }
  for (const Mistake& mistake : mistakes()) {
    const std::size_t explained = all[&mistake];
    if (2 * wrong[&mistake] <= all_wrong || explained < judgement.explained) continue;
    if (explained > judgement.explained) judgement.looks_like.clear();
    judgement.explained = explained;
    judgement.looks_like.push_back(&mistake);
  }
}

/// The mistakes that give a case's digits, or its maxima but for roundings. What gives the digits
/// of a mistake is this mistake, as near as that may be to the right answer.
void compare_with_mistakes(CaseJudgement& judgement, bool with_tolerance,
                           MistakenAnswers& mistaken) {
  const PreparedCase& tried = *judgement.prepared;
  judgement.looks_like = mistaken.that_give(tried, judgement.maxima);
  if (judgement.verdict == Verdict::wrong && judgement.looks_like.empty()) {
    judgement.looks_like =
        mistaken.that_give(tried, judgement.maxima, judgement.prepared->roundings);
  }
  if (judgement.verdict != Verdict::rounding) return;
  const bool is_mistake =
      std::ranges::any_of(judgement.looks_like, std::not_fn(&Mistake::is_of_arithmetic));
  if (with_tolerance) {
    judgement.complaint += "; within the tolerance";
  } else if (judgement.runs_differ) {
    judgement.complaint += "; the order of the sum differs between runs";
  } else if (is_mistake) {
    judgement.verdict = Verdict::wrong;
  } else {
    judgement.complaint +=
        "; roundings explain it: another order of the sum, double, FMA or -ffast-math";
  }
}

/// Roundings may tell equal maxima apart. Where all the values of a program are right, it takes one
/// of them for another reason.
void judge_ties(std::vector<CaseJudgement>& cases) {
  const auto is_of_values = [](const CaseJudgement& judgement) {
    return judgement.verdict == Verdict::rounding && judgement.distance > 0.0;
  };
  if (std::ranges::any_of(cases, is_of_values)) return;
  for (CaseJudgement& judgement : cases) {
    if (judgement.verdict != Verdict::rounding) continue;
    judgement.verdict = judgement.runs_differ ? Verdict::race : Verdict::wrong;
    if (judgement.runs_differ) {
      judgement.complaint += ": equal maxima, and which of them it takes differs between runs";
    }
  }
}

/// Two mistakes at once, where one does not explain every wrong case and two explain all cases.
/// They do not explain what differs from run to run.
void look_for_two_mistakes(ProgramJudgement& judgement, MistakenAnswers& mistaken) {
  std::vector<const CaseJudgement*> cases;
  bool is_explained = true;
  for (const CaseJudgement& of_case : judgement.cases) {
    if (of_case.verdict == Verdict::race) return;
    if (of_case.maxima.empty() || !MistakenAnswers::compares(*of_case.prepared)) continue;
    if (of_case.verdict == Verdict::rounding) continue;
    cases.push_back(&of_case);
    is_explained &= of_case.verdict == Verdict::right ||
                    std::ranges::find_first_of(of_case.looks_like, judgement.looks_like) !=
                        of_case.looks_like.end();
  }
  if (is_explained) return;
  std::ranges::sort(cases, {}, [](const CaseJudgement* of_case) {
    return of_case->prepared->cells + interactions(*of_case->prepared);
  });
  std::vector<std::pair<const Case*, std::vector<Maximum>>> answers;
  for (const CaseJudgement* of_case : cases) {
    answers.emplace_back(of_case->prepared, of_case->maxima);
  }
  std::vector<const Mistake*> pairs = mistaken.pairs_that_give(answers);
  if (!pairs.empty()) {
    judgement.looks_like = std::move(pairs);
    judgement.explained = cases.size();
  }
}

}  // namespace

std::string_view word_for(Verdict verdict) {
  return words_for_verdicts.at(static_cast<std::size_t>(verdict));
}

Verdict verdict_of(const std::string& word) {
  return static_cast<Verdict>(std::ranges::find(words_for_verdicts, word) -
                              words_for_verdicts.begin());
}

bool shows_speed(const CaseJudgement& judgement) {
  return judgement.prepared->sequential.seconds >= least_sequential_seconds;
}

void take_baseline(std::vector<PreparedCase>& cases, const std::string& program,
                   const Options& options) {
  require_program(program);
  Options alone = options;
  alone.launcher.clear();
  alone.arguments = Options().arguments;
  std::set<std::string> hints;
  for (PreparedCase& prepared : cases) {
    const CaseJudgement judgement = judge_case(program, prepared, alone, hints);
    if (is_more_than_imprecise(judgement)) {
      throw InputError(fmt::format("--baseline {}: is not right in the case {}: {}", program,
                                   prepared.name, judgement.complaint));
    }
    prepared.sequential = {judgement.time.value_or(*judgement.whole_seconds), false};
  }
}

ProgramJudgement judge_program(const std::string& program, const std::vector<PreparedCase>& cases,
                               const Options& options, MistakenAnswers& mistaken) {
  ProgramJudgement judgement{.program = program};
  int hung = 0;
  bool is_mistaken = false;  // a case before has the digits of a mistake
  std::string why_not_run;
  for (const PreparedCase& prepared : cases) {
    if (tools::signal_has_come()) break;
    if (!why_not_run.empty()) {
      judgement.cases.push_back({.prepared = &prepared,
                                 .verdict = judgement.cases.back().verdict,
                                 .complaint = why_not_run});
      continue;
    }
    judgement.cases.push_back(
        judge_case(program, prepared, options, judgement.hints, is_mistaken ? &mistaken : nullptr));
    const CaseJudgement& last = judgement.cases.back();
    is_mistaken |=
        last.verdict == Verdict::wrong && !mistaken.that_give(prepared, last.maxima).empty();
    if (last.verdict == Verdict::timeout && ++hung == most_that_hang) {
      why_not_run = fmt::format("not run: {} cases before it took too long", hung);
    }
    if (last.is_of_other_storms && judgement.cases.size() == 1) {
      why_not_run = "not run: the first case shows that it takes other arguments";
    }
  }
  if (std::ranges::all_of(judgement.cases,
                          [](const auto& one) { return one.verdict == Verdict::right; }))
    return judgement;
  const bool with_tolerance = options.tolerance || options.absolute_tolerance;
  if (!with_tolerance) judge_ties(judgement.cases);
  for (CaseJudgement& of_case : judgement.cases) {
    if (!of_case.maxima.empty()) compare_with_mistakes(of_case, with_tolerance, mistaken);
  }
  look_for_a_mistake(judgement);
  look_for_two_mistakes(judgement, mistaken);
  return judgement;
}

void require_program(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    throw InputError(fmt::format("{}: there is no such file; give the path of a program", path));
  }
  if (!std::filesystem::is_regular_file(status) || ::access(path.c_str(), X_OK) != 0) {
    throw InputError(fmt::format(
        "{}: is not a program; compile it first, or make the script executable (chmod +x)", path));
  }
}

}  // namespace bombard::judge
