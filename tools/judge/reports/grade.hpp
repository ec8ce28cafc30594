#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/judge/judgement.hpp"
#include "tools/judge/reports/speed.hpp"

namespace bombard::judge {

/// What a teacher gives for programs (`--points RIGHT[,SPEED[,SPEEDUP]]`).
struct Points {
  double right = 100;       ///< for the cases of the assignment, each the same
  double speed = 0;         ///< for programs that are right in all of these
  double full_speedup = 2;  ///< earns all points of speed; the sequential program's time earns none
};
/// `full_speedup` is for a text that has none. Throws InputError for what is no points.
Points parse_points(const std::string& text, double full_speedup);

/// A case of a program, and what it earns.
struct GradedCase {
  const ProgramJudgement* program;
  const CaseJudgement* judgement;
  bool passed;
  double points, most;  ///< both 0 beyond the assignment
};

/// How programs are graded.
struct Grading {
  Points points = {};
  bool strict = false;  ///< right up to rounding is not right
};

struct Grade {
  std::span<const ProgramJudgement> programs;
  std::vector<GradedCase> cases = {};  ///< of all programs
  Points points;
  std::optional<Speed> speed = {};  ///< of the quickest program
  double speed_points = 0;

  /// All that is earned, and all that could be.
  double earned() const;
  double most() const { return points.right + points.speed; }
};

/// The cases of all programs share the points.
Grade grade(std::span<const ProgramJudgement> judgements, const Grading& grading);

}  // namespace bombard::judge
