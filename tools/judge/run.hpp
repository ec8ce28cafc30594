#pragma once

#include <string>
#include <vector>

#include "tools/judge/answer.hpp"
#include "tools/judge/judgement.hpp"

namespace bombard::judge {

/// The outcome of one run of a program on a case.
struct Run {
  Verdict verdict = Verdict::right;  ///< crash, timeout or no_answer; else the maxima decide
  std::string complaint = {};        ///< why they do not
  std::vector<std::string> hints = {};
  Answer answer = {};
  double seconds = 0;  ///< of the whole process
};

/// Why a process failed, with what it says; empty when it ended with exit code 0.
std::string failure_of(const ProcessOutcome& outcome, const Limits& limits);

/// Runs a program on a case. Its digits count, whatever its exit code is, and its time only if it
/// is `timed`. Nothing that it does ends this process; but a signal that does (Ctrl-C) ends the
/// program first.
Run run_on(const Case& tried, const std::string& program, const Options& options, bool timed);

}  // namespace bombard::judge
