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

GradedTest test_of_speed(std::span<const ProgramJudgement> programs, const Options& options) {
  GradedTest test{.program = &programs.front(),
                  .name = "speed",
                  .output = "no speedup: a case that shows it is wrong",
                  .kind = "speed",
                  .most = options.speed_points};
  const Standing best = standing_of(programs, options);
  if (std::isnan(best.speedup)) return test;
  const double share = std::clamp((best.speedup - 1) / (options.full_speedup - 1), 0., 1.);
  test.output =
      fmt::format("speedup {:.2f}; {:g} earns all points", best.speedup, options.full_speedup);
  test.passed = best.passes && share == 1;
  if (best.passes) test.points = share == 1 ? test.most : rounded_points(share * test.most);
  return test;
}

}  // namespace

std::vector<GradedTest> graded_tests(std::span<const ProgramJudgement> programs,
                                     const Options& options) {
  const bool is_alone = std::ranges::all_of(
      programs, [&](const auto& one) { return one.program == programs.front().program; });
  std::ptrdiff_t counted = 0, done = 0;
  for (const ProgramJudgement& program : programs) {
    counted += std::ranges::count_if(
        program.cases, [](const CaseJudgement& of_case) { return of_case.prepared->counts; });
  }
  const auto points_until = [&](std::ptrdiff_t cases) {
    const double share = static_cast<double>(cases) / static_cast<double>(counted);
    return cases == counted ? options.right_points : rounded_points(share * options.right_points);
  };
  std::vector<GradedTest> tests;
  for (const ProgramJudgement& program : programs) {
    const std::string before = is_alone ? "" : printable(program.program) + ": ";
    const std::string behind = program.threads ? ", " + plural(*program.threads, "thread") : "";
    if (!program.failed_build.empty()) {
      tests.push_back({&program, {}, before + "build", printable(program.failed_build), "build"});
    }
    for (const CaseJudgement& of_case : program.cases) {
      const std::string& tries = of_case.prepared->tries;
      GradedTest test{.program = &program,
                      .of_case = &of_case,
                      .name = before + printable(of_case.prepared->name) + behind,
                      .output = printable(of_case.complaint),
                      .kind = std::string(word_for(of_case.verdict)),
                      .passed = passes(of_case.verdict, options),
                      .counts = of_case.prepared->counts};
      if (!test.output.empty() && !tries.empty()) test.output += "\n(" + printable(tries) + ")";
      if (!of_case.run_seconds.empty()) test.seconds = std::ranges::min(of_case.run_seconds);
      if (test.counts) {
        test.most = points_until(done + 1) - points_until(done);
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
