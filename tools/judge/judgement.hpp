#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tools/judge/answer.hpp"
#include "tools/judge/mistakes.hpp"
#include "tools/judge/options.hpp"
#include "tools/judge/prepared_case.hpp"

namespace bombard::judge {

/// The verdict on a case, from the best to the worst.
enum class Verdict {
  right,      ///< all digits are those of the rule
  rounding,   ///< the positions are right, the maxima as near as another order of the sums explains
  wrong,      ///< other maxima, the same in each run
  race,       ///< its runs differ by more than an order of the sums explains
  crash,      ///< a signal ended it, or it took more than it may
  timeout,    ///< it did not end in time
  no_answer,  ///< it was not started, or printed no maxima
};
/// "right", "rounding", "wrong", "race", "crash", "timeout" or "no_answer".
std::string_view word_for(Verdict verdict);
/// The verdict of this word.
Verdict verdict_of(const std::string& word);

/// The judgement on a case.
struct CaseJudgement {
  const PreparedCase* prepared = nullptr;
  Verdict verdict = Verdict::right;
  std::string complaint = {};           ///< why it is not right; empty when it is
  bool is_of_other_storms = false;      ///< it printed maxima of another number of storms
  bool runs_differ = false;             ///< not all of its runs have printed the same digits
  std::optional<double> distance = {};  ///< largest relative error of its maxima, in all runs
  std::vector<Maximum> maxima = {};     ///< as its first run printed them
  std::vector<const Mistake*> looks_like = {};  ///< mistakes that give these maxima
  std::optional<double> time = {};              ///< the least `Time:` of its runs
  std::optional<double> whole_seconds = {};     ///< the least of whole runs; none if it was not run
  std::vector<double> run_seconds = {};         ///< of each run asked for, by `Time:` or as a whole
};

/// Where the sequential program takes less than this, a process and its threads do little but
/// start: such a case says nothing about speed.
constexpr double least_sequential_seconds = 0.01;
bool shows_speed(const CaseJudgement& judgement);

/// A program's results, with one number of threads.
struct ProgramJudgement {
  std::string program;              ///< as it was given
  std::optional<int> threads = {};  ///< or processes, where `--threads` names them
  std::string failed_build = {};    ///< why it could not be built; then it has no cases
  std::vector<CaseJudgement> cases = {};
  std::vector<const Mistake*> looks_like = {};  ///< mistakes that explain most; none of them more
  std::size_t explained = 0;         ///< cases whose digits they give, right ones included
  std::size_t compared = 0;          ///< out of this number
  std::set<std::string> hints = {};  ///< sentences about what no verdict shows
};

/// Takes a program's times for those of the sequential one. Throws InputError, with the case, where
/// it is not right.
void take_baseline(std::vector<PreparedCase>& cases, const std::string& program,
                   const Options& options);

/// Runs a program on every case, until three have taken too long or the first one shows that it
/// takes other arguments. Nothing that it does ends this process; but a signal that does (Ctrl-C)
/// ends the program first. Throws InputError for a path that is no program.
ProgramJudgement judge_program(const std::string& program, const std::vector<PreparedCase>& cases,
                               const Options& options, MistakenAnswers& mistaken);

/// Runs a program on a case the number of times that is asked for, or, when it is not right, often
/// enough to see whether it is wrong in the same way again; but where `mistaken` is given and has
/// its digits, another run would tell nothing new. New hints are added.
CaseJudgement judge_case(const std::string& program, const PreparedCase& prepared,
                         const Options& options, std::set<std::string>& hints,
                         MistakenAnswers* mistaken = nullptr);

/// Throws InputError unless there is a file that may be executed.
void require_program(const std::string& path);

/// Judges the programs of a class. `progress` hears how many programs need no more but their times,
/// `judged` a program's judgements, with one number of threads after the other. A signal that is
/// held (tools::HeldSignals) is the end: `judged` does not hear of programs that were not judged
/// until then.
void judge_class(const std::vector<std::string>& programs, const std::vector<PreparedCase>& cases,
                 const Options& options, const std::function<void(std::size_t done)>& progress,
                 const std::function<void(const std::vector<ProgramJudgement>&)>& judged);

}  // namespace bombard::judge
