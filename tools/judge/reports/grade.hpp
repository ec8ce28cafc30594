#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/judge/judgement.hpp"
#include "tools/judge/reports/speed.hpp"

namespace bombard::judge {

/// How a teacher grades programs (`--points RIGHT[,SPEED[,SPEEDUP]]`).
struct Grading {
  double right = 100;       ///< for the cases of the assignment, each the same
  double speed = 0;         ///< for programs that are right in all of these
  double full_speedup = 2;  ///< earns all points of speed; the sequential program's time earns none
  bool strict = false;      ///< right up to rounding is not right
};
/// `full_speedup` is for a text that has none. Throws InputError for what is no points.
Grading parse_points(const std::string& text, double full_speedup);

/// A case of a program, a build that failed, or the speed, and what it earns.
struct GradedTest {
  const ProgramJudgement* program = nullptr;  ///< none for the speed
  const CaseJudgement* of_case = nullptr;     ///< none for another test
  std::string name = {};                      ///< "ties", "ties, 2 threads", "build" or "speed"
  std::string output = {};                    ///< why it is not right, and what it tries
  bool passed = false;
  bool counts = true;  ///< unless it lies beyond the assignment
  double points = 0, most = 0;
};

struct Grade {
  std::span<const ProgramJudgement> programs;
  double most;                         ///< all points that could be earned
  std::vector<GradedTest> tests = {};  ///< of all programs
  std::optional<Speed> speed = {};     ///< of the quickest program

  double earned() const;
};

/// The cases of all programs share the points.
Grade grade(std::span<const ProgramJudgement> judgements, const Grading& grading);

}  // namespace bombard::judge
