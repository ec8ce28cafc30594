#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/judge/answer.hpp"
#include "tools/judge/cases.hpp"
#include "tools/judge/options.hpp"
#include "tools/judge/processes/process.hpp"

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

/// How a run is started besides.
struct Start {
  bool is_timed = false;                    ///< its time counts
  std::vector<std::string> variables = {};  ///< NAME=VALUE
  bool by_lines = false;  ///< what it prints leaves it line by line, so that a crash loses none
};

/// The outcome of one run of a program on a case.
struct Run {
  /// crash, timeout or no_answer; else the maxima decide. Where it is not run, the verdict on a run
  /// before.
  Verdict verdict = Verdict::right;
  std::string complaint = {};  ///< why they do not
  std::vector<std::string> hints = {};
  Answer answer = {};
  double seconds = 0;  ///< of the whole process
  bool is_timed = false;
  int signal = 0;  ///< that ended it; 0 for none
};

/// Why a process failed, with what it says; empty when it ended with exit code 0.
std::string failure_of(const ProcessOutcome& outcome, const Limits& limits);

/// Runs words in `folder`. Where programs are confined they write there alone, and read the system,
/// the folder of `program`, and what is beside their own.
ProcessOutcome run_words(const std::vector<std::string>& words, const std::string& folder,
                         const std::string& program, const Options& options,
                         const std::vector<std::string>& variables);

/// Runs a program on a case. Its digits count, whatever its exit code is. Nothing that it does ends
/// this process; but a signal that does (Ctrl-C) ends the program first.
Run run_on(const Case& tried, const std::string& program, const Options& options,
           const Start& start);

/// Runs `true` in the place of a program that is no script: what starts it may fail by itself, as
/// mpirun does for root. Throws InputError where it does, with its message and the remedy.
void try_launcher(const std::string& program, const Options& options);

}  // namespace bombard::judge
