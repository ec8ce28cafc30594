#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/judge/answer.hpp"
#include "tools/judge/mistakes.hpp"
#include "tools/judge/process.hpp"
#include "tools/judge/right_answer.hpp"
#include "tools/judge/sequential_time.hpp"

namespace bombard::judge {

/// A case with its right answer, and how long others take for it.
struct PreparedCase {
  Case tried;
  RightAnswer right;
  SequentialTime sequential;
};

/// Throws CannotRun when a case does not fit into this machine's memory.
std::vector<PreparedCase> prepare(std::vector<Case> cases);

struct JudgeOptions {
  std::vector<std::string> launcher;  ///< words before the program, as `mpirun -n 4`
  std::optional<double> tolerance;  ///< relative, for maxima; without it, digits must be identical
  int repeat = 1;
  Limits limits;
};

/// What came of a case.
struct CaseJudgement {
  const PreparedCase* prepared = nullptr;
  bool is_right = false;
  std::string complaint = {};                   ///< why it is not
  std::vector<PrintedMaximum> maxima = {};      ///< as its first run printed them
  std::vector<const Mistake*> looks_like = {};  ///< mistakes that give just these digits
  std::optional<double> time = {};              ///< the least `Time:` of its runs
  std::optional<double> whole_seconds = {};     ///< the least of whole runs; none if it was not run
};

/// What many cases say about a program.
struct Suspicion {
  std::vector<const Mistake*> mistakes = {};  ///< that explain most; they cannot be told apart
  std::size_t cases = 0;                      ///< whose digits they give, right ones included
  std::size_t compared = 0;                   ///< of so many
};

struct ProgramJudgement {
  std::string program;  ///< as it was given
  std::vector<CaseJudgement> cases = {};
  Suspicion suspicion = {};

  std::size_t wrong_cases() const;
};

/// Runs a program on every case, until three have taken too long. Nothing that it does ends this
/// process; but a signal that does (Ctrl-C) ends the program first. Throws InputError for a path
/// that is no program.
ProgramJudgement judge_program(const std::string& program, const std::vector<PreparedCase>& cases,
                               const JudgeOptions& options, MistakenAnswers& mistaken);

/// Throws InputError unless there is a file that may be executed.
void require_program(const std::string& path);

}  // namespace bombard::judge
