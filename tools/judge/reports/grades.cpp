#include "tools/judge/reports/grades.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/cli/reports/report.hpp"
#include "tools/judge/reports/standing.hpp"

namespace bombard::judge {

namespace {

/// Points in 64ths, whose sums are exact in binary, so that the parts add up to the whole.
double rounded_points(double points) {
  constexpr double parts = 64;
  return std::round(parts * points) / parts;
}

/// Points for the first `done` of `count` cases.
double points_until(std::size_t done, std::size_t count, double all) {
  if (done == count) return all;
  return rounded_points(static_cast<double>(done) * all / static_cast<double>(count));
}

GradedTest test_of(const CaseJudgement& of_case, const std::string& name, const Options& options) {
  std::string output = printable(of_case.complaint);
  const std::string tries = printable(of_case.prepared->tries);
  if (!output.empty() && !tries.empty()) output += "\n(" + tries + ")";
  const double whole = of_case.whole_seconds.value_or(0);
  return {.name = name,
          .output = output,
          .kind = std::string(word_for(of_case.verdict)),
          .of_case = &of_case,
          .passed = passes(of_case.verdict, options),
          .counts = of_case.counts,
          .seconds = of_case.time.value_or(whole)};
}

GradedTest test_of_speed(std::span<const ProgramJudgement> programs, const Options& options) {
  GradedTest test{.name = "speed",
                  .output = "no speedup: a case that shows it is wrong",
                  .kind = "speed",
                  .most = options.speed_points};
  const Standing best = standing_of(programs, options);
  if (!best.speedup) return test;
  const double share = std::clamp((*best.speedup - 1) / (options.full_speedup - 1), 0., 1.);
  test.output =
      fmt::format("speedup {:.2f}; {:g} earns all points", *best.speedup, options.full_speedup);
  test.passed = best.passes && share == 1;
  if (best.passes) test.points = share == 1 ? test.most : rounded_points(share * test.most);
  return test;
}

}  // namespace

std::vector<GradedTest> graded_tests(std::span<const ProgramJudgement> programs,
                                     const Options& options) {
  const bool is_alone = std::ranges::all_of(
      programs, [&](const auto& one) { return one.program == programs.front().program; });
  std::size_t counted = 0, done = 0;
  for (const ProgramJudgement& program : programs) {
    counted +=
        static_cast<std::size_t>(std::ranges::count_if(program.cases, &CaseJudgement::counts));
  }
  std::vector<GradedTest> tests;
  for (const ProgramJudgement& program : programs) {
    const std::string before = is_alone ? "" : printable(program.program) + ": ";
    const std::string behind = program.threads ? ", " + plural(*program.threads, "thread") : "";
    if (!program.failed_build.empty()) {
      tests.push_back({before + "build", printable(program.failed_build), "build"});
    }
    for (const CaseJudgement& of_case : program.cases) {
      GradedTest test =
          test_of(of_case, before + printable(of_case.prepared->name) + behind, options);
      if (test.counts) {
        test.most = points_until(done + 1, counted, options.right_points) -
                    points_until(done, counted, options.right_points);
        ++done;
      }
      if (test.passed) test.points = test.most;
      tests.push_back(std::move(test));
    }
  }
  if (options.speed_points > 0) tests.push_back(test_of_speed(programs, options));
  return tests;
}

double points_of(const std::vector<GradedTest>& tests) {
  double sum = 0;
  for (const GradedTest& test : tests) sum += test.points;
  return sum;
}

}  // namespace bombard::judge
