#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <sstream>
#include <vector>

#include "tools/cli/reports/report.hpp"
#include "tools/judge/reports/formats.hpp"
#include "tools/page/html.hpp"

namespace bombard::judge {

namespace {

/// Remarks on programs as a whole.
std::string remarks_on(const ordered_json& programs) {
  std::string text;
  for (const ordered_json& program : programs) text += remarks(program);
  return text;
}

/// With four decimals at most.
double rounded(double milliseconds) {
  return std::round(1e4 * milliseconds) / 1e4;
}

/// The content of an element `testcase`. Where no points are lost, a test does not fail.
std::string outcome_of(const ordered_json& test) {
  if (test["passed"]) return {};
  const std::string output = test["output"];
  const std::string message = tools::html_text(output.substr(0, output.find('\n')));
  if (!test["counts"]) {
    return fmt::format("<skipped message=\"beyond the assignment: {}\"/>", message);
  }
  return fmt::format("<failure type=\"{}\" message=\"{}\">{}</failure>",
                     test.value("kind", test["name"].get<std::string>()), message,
                     tools::html_text(output));
}

}  // namespace

std::string gradescope(const ordered_json& programs, const Options& options) {
  const ordered_json graded = graded_tests(programs, options);
  ordered_json tests = ordered_json::array();
  for (const ordered_json& test : graded) {
    tests.push_back({{"name", test["name"]},
                     {"score", test["points"].get<double>()},
                     {"max_score", test["most"].get<double>()},
                     {"status", test["passed"] ? "passed" : "failed"},
                     {"output", test["output"]},
                     {"visibility", "visible"}});
  }
  ordered_json results{{"score", points_of(graded)},
                       {"output", remarks_on(programs)},
                       {"visibility", "visible"},
                       {"tests", tests}};
  const ordered_json best = sum_of(programs, options.is_strict());
  if (!best["seconds"].is_null()) {
    results["leaderboard"] = {{{"name", "Time (s)"}, {"value", best["seconds"]}, {"order", "asc"}},
                              {{"name", "Speedup"}, {"value", best["speedup"]}}};
  }
  return dumped(results, 2);
}

std::string junit(const ordered_json& programs, const Options& options) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const ordered_json& program : programs) {
    const std::string name = tools::html_text(words_of(program["program"]));
    std::string tests;
    int count = 0, failures = 0, skipped = 0;
    double seconds = 0;
    for (const ordered_json& test : graded_tests(ordered_json::array({program}), options)) {
      if (test["program"].is_null()) continue;
      ++count;
      if (!test["passed"]) ++(test["counts"] ? failures : skipped);
      seconds += test["seconds"].get<double>();
      tests +=
          fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\">{}</testcase>\n",
                      name, tools::html_text(test["name"].get<std::string>()),
                      test["seconds"].get<double>(), outcome_of(test));
    }
    text += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" "
        "time=\"{:.3f}\">\n{}    <system-out>{}</system-out>\n  </testsuite>\n",
        name, count, failures, skipped, seconds, tests, tools::html_text(remarks(program)));
  }
  return text + "</testsuites>\n";
}

std::string classroom(const ordered_json& programs, const Options& options) {
  ordered_json tests = ordered_json::array();
  bool all_pass = true;
  for (const ordered_json& test : graded_tests(programs, options)) {
    if (!test["counts"]) continue;  // the reporter counts all tests alike
    all_pass = all_pass && test["passed"];
    tests.push_back({{"name", test["name"]},
                     {"status", test["passed"] ? "pass" : "fail"},
                     {"score", test["points"].get<double>()},
                     {"max_score", test["most"].get<double>()},
                     {"message", test["output"]},
                     {"test_code", test["output"]},  // what the reporter shows of a test
                     {"filename", ""},
                     {"line_no", 0},
                     {"duration", 1e3 * test["seconds"].get<double>()}});
  }
  std::string object = dumped({{"version", 1},
                               {"status", all_pass ? "pass" : "fail"},
                               {"max_score", options.right_points + options.speed_points},
                               {"tests", tests}});
  object.pop_back();
  return tools::base64(std::as_bytes(std::span(object))) + '\n';
}

std::string vpl(const ordered_json& programs, const Options& options) {
  const ordered_json tests = graded_tests(programs, options);
  std::string lines = remarks_on(programs);
  for (const ordered_json& test : tests) {
    lines += '-' + test["name"].get<std::string>();  // a title
    if (test.contains("kind")) lines += ": " + test["kind"].get<std::string>();
    lines += '\n' + test["output"].get<std::string>() + '\n';
  }
  std::istringstream stream(lines);
  std::string text;
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) text += "Comment :=>>" + line + '\n';
  }
  return text + fmt::format("Grade :=>> {}\n", points_of(tests));
}

std::string line(const ordered_json& programs, const Options& options) {
  std::size_t passed = 0, counted = 0, runs_of_a_case = 1;
  ordered_json times = ordered_json::array();
  for (const ordered_json& test : graded_tests(programs, options)) {
    if (!test.contains("kind") || !test["counts"]) continue;
    const std::vector<double> runs = test["run_seconds"];
    ++counted;
    runs_of_a_case = std::max(runs_of_a_case, runs.size());
    if (!test["passed"]) continue;
    passed += runs.size();
    for (const double seconds : runs) times.push_back(rounded(1e3 * seconds));
  }
  return dumped({{"passed", passed}, {"total", counted * runs_of_a_case}, {"times", times}});
}

}  // namespace bombard::judge
