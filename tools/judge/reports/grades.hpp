#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/judge/judgement.hpp"

namespace bombard::judge {

/// What earns points (`--points`): a case, the speed or, without points, a build that failed. Name
/// and output are printable.
struct GradedTest {
  const ProgramJudgement* program = nullptr;
  const CaseJudgement* of_case = nullptr;  ///< none for a build and for speed
  std::string name;    ///< "ties", "ties, 2 threads", "build" or "speed"; "anna/program: ties"
  std::string output;  ///< why it is not right, and what it tries
  std::string kind;    ///< the word for a case's verdict, "build" or "speed"
  bool passed = false;
  bool counts = true;
  double points = 0, most = 0;
  double seconds = 0;  ///< 0 if there are none
};

/// The cases of all programs, which must stay where they are, share the points for right answers.
std::vector<GradedTest> graded_tests(std::span<const ProgramJudgement> programs,
                                     const Options& options);

/// What all tests earn.
double points_of(const std::vector<GradedTest>& tests);

}  // namespace bombard::judge
