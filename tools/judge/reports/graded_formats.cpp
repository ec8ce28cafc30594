#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>
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

/// RFC 8259, UTF-8; on one line without an indent.
std::string dumped(const ordered_json& object, int indent = -1) {
  constexpr bool only_ascii = false;
  return object.dump(indent, ' ', only_ascii, ordered_json::error_handler_t::replace) + '\n';
}

/// With four decimals at most.
double rounded(double milliseconds) {
  return std::round(1e4 * milliseconds) / 1e4;
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
  return dumped(results, 2);
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

std::string classroom(const std::vector<ProgramJudgement>& programs, const Options& options) {
  ordered_json tests = ordered_json::array();
  bool all_pass = true;
  for (const GradedTest& test : graded_tests(programs, options)) {
    if (!test.counts) continue;  // the reporter counts all tests alike
    all_pass = all_pass && test.passed;
    tests.push_back({{"name", test.name},
                     {"status", test.passed ? "pass" : "fail"},
                     {"score", test.points},
                     {"max_score", test.most},
                     {"message", test.output},
                     {"test_code", test.output},  // what the reporter shows of a test
                     {"filename", ""},
                     {"line_no", 0},
                     {"duration", 1e3 * test.seconds}});
  }
  std::string object = dumped({{"version", 1},
                               {"status", all_pass ? "pass" : "fail"},
                               {"max_score", options.right_points + options.speed_points},
                               {"tests", tests}});
  object.pop_back();
  return tools::base64(std::as_bytes(std::span(object))) + '\n';
}

std::string vpl(const std::vector<ProgramJudgement>& programs, const Options& options) {
  const std::vector<GradedTest> tests = graded_tests(programs, options);
  std::string lines = remarks_on(programs);
  for (const GradedTest& test : tests) {
    lines += '-' + test.name;  // a title
    if (test.of_case != nullptr) lines += ": " + test.kind;
    lines += '\n' + test.output + '\n';
  }
  std::istringstream stream(lines);
  std::string text;
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) text += "Comment :=>>" + line + '\n';
  }
  return text + fmt::format("Grade :=>> {}\n", points_of(tests));
}

std::string line(const std::vector<ProgramJudgement>& programs, const Options& options) {
  std::size_t passed = 0, counted = 0, runs_of_a_case = 1;
  ordered_json times = ordered_json::array();
  for (const GradedTest& test : graded_tests(programs, options)) {
    if (test.kind == "build") ++counted;
    if (test.of_case == nullptr || !test.counts) continue;
    const std::vector<double>& runs = test.of_case->run_seconds;
    ++counted;
    runs_of_a_case = std::max(runs_of_a_case, runs.size());
    if (!test.passed) continue;
    passed += runs.size();
    for (const double seconds : runs) times.push_back(rounded(1e3 * seconds));
  }
  return dumped({{"passed", passed}, {"total", counted * runs_of_a_case}, {"times", times}});
}

}  // namespace bombard::judge
