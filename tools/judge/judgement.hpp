#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "tools/judge/mistakes.hpp"
#include "tools/judge/options.hpp"
#include "tools/judge/prepared_case.hpp"
#include "tools/judge/run.hpp"
#include "tools/judge/verdict.hpp"

namespace bombard::judge {

/// The runs of a program on a case.
struct CaseRuns {
  const PreparedCase* prepared = nullptr;
  std::vector<Run> runs = {};                   ///< at least one
  std::vector<double> sequential_seconds = {};  ///< in turn with timed runs, where it shows speed
};

/// The runs of a program on all cases, with one number of threads.
struct ProgramRuns {
  std::string program = {};       ///< as it was given
  std::string failed_build = {};  ///< why it could not be built; then it has no cases
  Options options = {};           ///< its threads
  std::vector<CaseRuns> cases = {};
};

/// A number that is not known: null in JSON, - in a table.
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// The judgement on a case.
struct CaseJudgement {
  const PreparedCase* prepared = nullptr;
  Facts facts = {};
  Verdict verdict = Verdict::right;  ///< of these facts
  std::string complaint = {};        ///< why it is not right; empty when it is
  std::string between_runs = {};     ///< where two of its runs differ by more than roundings
  double distance = unknown;         ///< largest relative error of its maxima, in all runs
  std::vector<Maximum> maxima = {};  ///< of its first run with other digits; else the right ones
  std::vector<const Mistake*> looks_like = {};  ///< where it is wrong: mistakes that give these
  double time = unknown;                        ///< the least `Time:` of its timed runs
  double whole_seconds = unknown;               ///< the least of whole timed runs
  std::vector<double> run_seconds = {};         ///< of each timed run, from `Time:` or as a whole
  double seconds = unknown;                     ///< the least of these
  double sequential_seconds = unknown;          ///< the least
};

/// A program's results, with one number of threads.
struct ProgramJudgement {
  std::string program = {};
  std::optional<int> threads = {};
  std::string failed_build = {};
  Verdict verdict = Verdict::right;  ///< the worst of the cases that count
  std::string reason = {};           ///< the first of these cases, and its complaint
  double seconds = unknown;          ///< the sum of the least times over the cases for speed
  double speedup = unknown;          ///< the sequential program's sum over it
  double spread = unknown;  ///< how much longer its slowest runs took than the fastest, as a part
  std::vector<CaseJudgement> cases = {};
  std::vector<const Mistake*> looks_like = {};  ///< mistakes that explain most, all equally well
  std::string explanation = {};                 ///< what it looks like, in lines
  Hints hints = {};                             ///< what no verdict shows
};

/// Whether a verdict is as good as right: up to rounding, unless all digits must be right.
bool passes(Verdict verdict, const Options& options);

/// The verdict on a case by itself. Without side effects, like the next function.
CaseJudgement judgement_of(const CaseRuns& of_case, const Options& options);

/// The verdict on all cases, the mistakes that explain them, and hints.
ProgramJudgement judgement_of(const ProgramRuns& runs);

/// Judges the programs of a class, one after the other: `judged` is called with a program's
/// judgements, one for each number of threads. A signal that is held (tools::HeldSignals) ends
/// this: `judged` is not called for programs that were not judged by then.
void judge_class(const std::vector<std::string>& programs, const std::vector<PreparedCase>& cases,
                 Options options,
                 const std::function<void(const std::vector<ProgramJudgement>&)>& judged);

}  // namespace bombard::judge
