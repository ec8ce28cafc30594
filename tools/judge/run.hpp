#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/judge/answer.hpp"
#include "tools/judge/options.hpp"
#include "tools/judge/prepared_case.hpp"
#include "tools/judge/processes/process.hpp"
#include "tools/judge/verdict.hpp"

namespace bombard::judge {

/// Sentences about what no verdict shows, one for each kind: the first case is an example for all.
using Hints = std::map<std::string, std::string>;

/// The outcome of one run of a program on a case.
struct Run {
  /// crash, timeout or no_answer; otherwise the maxima decide. If it is not run, the verdict on an
  /// earlier run.
  Verdict verdict = Verdict::right;
  std::string complaint = {};  ///< why the maxima do not decide
  Hints hints = {};
  Answer answer = {};
  double seconds = 0;  ///< of the whole process
  bool is_timed = false;
};

/// "storm_07.txt": numbers of equal width, so that a shell lists the files in order.
std::string storm_file_name(std::size_t number, std::size_t storms);

/// Why a process failed, with what it says; empty if it ended with exit code 0.
std::string failure_of(const ProcessOutcome& outcome);

/// Runs a command in a directory. If programs are confined, they write only to its folder, and read
/// only the system and the scratch directory.
ProcessOutcome run_words(const std::vector<std::string>& words, const ScratchDirectory& directory,
                         const Options& options, const Environment& environment = {});

/// Runs a program on a case. Its digits count, whatever its exit code is. Nothing that it does ends
/// this process; but a signal that does (Ctrl-C) ends the program first.
Run run_on(const PreparedCase& tried, const std::string& program, const Options& options,
           const Start& start);

/// Runs `true`, then a shell, in place of a program that is not a script: its launcher may fail by
/// itself, as mpirun does for root. Throws InputError if it does, with its message and the remedy.
/// Returns why it hides races between threads; empty if it does not.
std::string try_launcher(const std::string& program, const Options& options);

}  // namespace bombard::judge
