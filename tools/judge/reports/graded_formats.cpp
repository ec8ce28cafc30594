#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "tools/cli/reports/report.hpp"
#include "tools/judge/reports/formats.hpp"
#include "tools/judge/reports/grades.hpp"
#include "tools/page/html.hpp"

namespace bombard::judge {

namespace {

using nlohmann::ordered_json;

/// Remarks on programs as a whole.
std::string remarks_on(const std::vector<ProgramJudgement>& programs) {
  std::string text;
  for (const ProgramJudgement& program : programs) text += remarks(program);
  return text;
}

/// The content of an element `testcase`. A test that loses no points does not fail.
std::string outcome_of(const GradedTest& test) {
  if (test.passed) return {};
  const std::string message = tools::html_text(test.output.substr(0, test.output.find('\n')));
  if (!test.counts) {
    return fmt::format("<skipped message=\"beyond the assignment: {}\"/>", message);
  }
  return fmt::format("<failure type=\"{}\" message=\"{}\">{}</failure>", test.kind, message,
                     tools::html_text(test.output));
}

}  // namespace

std::string gradescope(const std::vector<ProgramJudgement>& programs, const Options& options) {
  const std::vector<GradedTest> graded = graded_tests(programs, options);
  ordered_json tests = ordered_json::array();
  for (const GradedTest& test : graded) {
    tests.push_back({{"name", test.name},
                     {"score", test.points},
                     {"max_score", test.most},
                     {"status", test.passed ? "passed" : "failed"},
                     {"output", test.output},
                     {"visibility", "visible"}});
  }
  ordered_json results{{"score", points_of(graded)},
                       {"output", remarks_on(programs)},
                       {"visibility", "visible"},
                       {"tests", tests}};
  const Standing best = standing_of(programs, options);
  if (!std::isnan(best.seconds)) {
    results["leaderboard"] = {{{"name", "Time (s)"}, {"value", best.seconds}, {"order", "asc"}},
                              {{"name", "Speedup"}, {"value", best.speedup}}};
  }
  constexpr bool only_ascii = false;
  return results.dump(2, ' ', only_ascii, ordered_json::error_handler_t::replace) + '\n';
}

std::string junit(const std::vector<ProgramJudgement>& programs, const Options& options) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const ProgramJudgement& program : programs) {
    const std::string name = tools::html_text(printable(program.program));
    std::string tests;
    int count = 0, failures = 0, skipped = 0;
    double seconds = 0;
    for (const GradedTest& test : graded_tests(std::span(&program, 1), options)) {
      if (test.kind == "speed") continue;
      ++count;
      if (!test.passed) ++(test.counts ? failures : skipped);
      seconds += test.seconds;
      tests +=
          fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\">{}</testcase>\n",
                      name, tools::html_text(test.name), test.seconds, outcome_of(test));
    }
    text += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" "
        "time=\"{:.3f}\">\n{}    <system-out>{}</system-out>\n  </testsuite>\n",
        name, count, failures, skipped, seconds, tests, tools::html_text(remarks(program)));
  }
  return text + "</testsuites>\n";
}

}  // namespace bombard::judge
