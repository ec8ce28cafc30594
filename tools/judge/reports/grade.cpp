#include "tools/judge/reports/grade.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "bombard/errors.hpp"
#include "inputs/token.hpp"
#include "tools/cli/reports/report.hpp"

namespace bombard::judge {

Grading parse_points(const std::string& text, double full_speedup) {
  Grading points{.full_speedup = full_speedup};
  double* const members[] = {&points.right, &points.speed, &points.full_speedup};
  std::istringstream parts(text);
  std::size_t count = 0;
  bool valid = true;
  for (std::string part; std::getline(parts, part, ','); ++count) {
    const std::optional<double> value = number_of<double>(part);
    valid = valid && count < std::size(members) && value && std::isfinite(*value) && *value >= 0;
    if (valid) *members[count] = *value;
  }
  if (valid && count > 0 && points.right + points.speed > 0 && points.full_speedup > 1)
    return points;
  throw InputError(fmt::format(
      "--points \"{}\" is not RIGHT[,SPEED[,SPEEDUP]], as 70,30,4: points from 0 up for right "
      "cases and for speed, and the speedup above 1 that earns all of the latter",
      text));
}

namespace {

/// Why a case is not right, and what it tries.
std::string reason(const CaseJudgement& judgement) {
  const std::string& tries = judgement.prepared->tried.tries;
  const std::string complaint = printable(judgement.complaint);
  if (complaint.empty() || tries.empty()) return complaint;
  return fmt::format("{}\n({})", complaint, printable(tries));
}

void add_tests(const ProgramJudgement& program, const Grading& grading, double points,
               std::vector<GradedTest>& tests) {
  const std::string threads =
      program.threads ? ", " + plural(*program.threads, "thread") : std::string();
  if (!program.failed_build.empty()) {
    tests.push_back(
        {.program = &program, .name = "build", .output = printable(program.failed_build)});
  }
  const bool has_group = program.verdict(CaseGroup::assignment).has_value();
  const auto counts = [&](const CaseJudgement& judgement) {
    return !has_group || judgement.prepared->tried.group == CaseGroup::assignment;
  };
  const auto counted = static_cast<double>(std::ranges::count_if(program.cases, counts));
  for (const CaseJudgement& judgement : program.cases) {
    const double most = counts(judgement) ? points / counted : 0;
    const bool passed = passes(judgement.verdict, grading.strict);
    tests.push_back({&program, &judgement, printable(judgement.prepared->tried.name) + threads,
                     reason(judgement), passed, counts(judgement), passed ? most : 0, most});
  }
}

GradedTest test_of_speed(const std::optional<Speed>& speed, bool all_pass, const Grading& grading) {
  GradedTest test{.name = "speed", .most = grading.speed};
  if (!speed) {
    test.output = "no speedup: a case that shows it is wrong";
    return test;
  }
  test.output =
      fmt::format("speedup {:.2f}; {:g} earns all points", speed->speedup, grading.full_speedup);
  const double share = (speed->speedup - 1) / (grading.full_speedup - 1);
  if (all_pass) test.points = grading.speed * std::clamp(share, 0., 1.);
  test.passed = test.points >= test.most;
  return test;
}

}  // namespace

double Grade::earned() const {
  double sum = 0;
  for (const GradedTest& test : tests) sum += test.points;
  return sum;
}

Grade grade(std::span<const ProgramJudgement> judgements, const Grading& grading) {
  Grade all{.programs = judgements, .most = grading.right + grading.speed};
  bool all_pass = true;
  for (const ProgramJudgement& program : judgements) {
    all_pass = all_pass && passes(program.verdict(), grading.strict);
    add_tests(program, grading, grading.right / static_cast<double>(judgements.size()), all.tests);
  }
  all.speed = best_speed(judgements);
  if (grading.speed > 0) all.tests.push_back(test_of_speed(all.speed, all_pass, grading));
  return all;
}

}  // namespace bombard::judge
