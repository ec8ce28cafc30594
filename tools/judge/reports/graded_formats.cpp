#include "tools/judge/reports/graded_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>
#include <string_view>

#include "tools/cli/reports/report.hpp"
#include "tools/judge/reports/judgement_report.hpp"
#include "tools/page/html.hpp"

namespace bombard::judge {

namespace {

using nlohmann::ordered_json;

/// With the program before the name where there are several.
std::string full_name_of(const GradedTest& test, const Grade& grade) {
  if (test.program == nullptr || by_program(grade.programs).size() == 1) return test.name;
  return fmt::format("{}: {}", printable(test.program->program), test.name);
}

/// Remarks on programs as a whole.
std::string remarks_on(const Grade& grade) {
  std::string text;
  for (const ProgramJudgement& program : grade.programs) text += remarks(program);
  return text;
}

/// With four decimals at most: sums of shares have more.
double rounded(double points) {
  return std::round(1e4 * points) / 1e4;
}

std::string text_of(const ordered_json& object, int indent) {
  constexpr bool only_ascii = false;
  return object.dump(indent, ' ', only_ascii, ordered_json::error_handler_t::replace);
}

/// Text of an element or an attribute: XML has no place for two code points that UTF-8 can write.
std::string xml_text(std::string text) {
  for (const std::string_view nothing : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {
    for (std::size_t at = 0; (at = text.find(nothing, at)) != std::string::npos;) {
      text.replace(at, nothing.size(), "?");
    }
  }
  return tools::html_text(text);
}

double seconds_of(const GradedTest& test) {
  if (test.of_case == nullptr) return 0;
  return test.of_case->time.value_or(test.of_case->whole_seconds.value_or(0));
}

/// The content of an element `testcase`. Where no points are lost, a test does not fail.
std::string outcome_of(const GradedTest& test) {
  if (test.passed) return {};
  const std::string message = xml_text(test.output.substr(0, test.output.find('\n')));
  if (!test.counts) return fmt::format("<skipped message=\"beyond the assignment: {}\"/>", message);
  return fmt::format("<failure type=\"{}\" message=\"{}\">{}</failure>",
                     test.of_case == nullptr ? test.name : word_for(test.of_case->verdict), message,
                     xml_text(test.output));
}

}  // namespace

std::string gradescope(const Grade& grade) {
  ordered_json tests = ordered_json::array();
  for (const GradedTest& test : grade.tests) {
    tests.push_back({{"name", full_name_of(test, grade)},
                     {"score", rounded(test.points)},
                     {"max_score", rounded(test.most)},
                     {"status", test.passed ? "passed" : "failed"},
                     {"output", test.output},
                     {"visibility", "visible"}});
  }
  ordered_json results{{"score", rounded(grade.earned())},
                       {"output", remarks_on(grade)},
                       {"visibility", "visible"},
                       {"tests", tests}};
  if (grade.speed) {
    results["leaderboard"] = {
        {{"name", "Time (s)"}, {"value", grade.speed->seconds}, {"order", "asc"}},
        {{"name", "Speedup"}, {"value", grade.speed->speedup}}};
  }
  return text_of(results, 2) + '\n';
}

std::string junit(const Grade& grade) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const ProgramJudgement& program : grade.programs) {
    const std::string name = xml_text(printable(program.program));
    std::string tests;
    int count = 0, failures = 0, skipped = 0;
    double seconds = 0;
    for (const GradedTest& test : grade.tests) {
      if (test.program != &program) continue;
      ++count;
      if (!test.passed) ++(test.counts ? failures : skipped);
      seconds += seconds_of(test);
      tests +=
          fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\">{}</testcase>\n",
                      name, xml_text(test.name), seconds_of(test), outcome_of(test));
    }
    text += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" "
        "time=\"{:.3f}\">\n{}    <system-out>{}</system-out>\n  </testsuite>\n",
        name, count, failures, skipped, seconds, tests, xml_text(remarks(program)));
  }
  return text + "</testsuites>\n";
}

std::string classroom(const Grade& grade) {
  ordered_json tests = ordered_json::array();
  bool all_pass = true;
  for (const GradedTest& test : grade.tests) {
    if (!test.counts) continue;  // the reporter counts all tests alike
    all_pass = all_pass && test.passed;
    tests.push_back({{"name", full_name_of(test, grade)},
                     {"status", test.passed ? "pass" : "fail"},
                     {"score", rounded(test.points)},
                     {"max_score", rounded(test.most)},
                     {"message", test.output},
                     {"test_code", test.output},  // what the reporter shows of a test
                     {"filename", ""},
                     {"line_no", 0},
                     {"duration", 1e3 * seconds_of(test)}});
  }
  const std::string object = text_of({{"version", 1},
                                      {"status", all_pass ? "pass" : "fail"},
                                      {"max_score", grade.most},
                                      {"tests", tests}},
                                     -1);
  return tools::base64(std::as_bytes(std::span(object))) + '\n';
}

std::string vpl(const Grade& grade) {
  std::string lines = remarks_on(grade);
  for (const GradedTest& test : grade.tests) {
    lines += '-' + full_name_of(test, grade);  // a title
    if (test.of_case != nullptr) lines += fmt::format(": {}", word_for(test.of_case->verdict));
    lines += '\n' + test.output + '\n';
  }
  std::istringstream stream(lines);
  std::string text;
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) text += "Comment :=>>" + line + '\n';
  }
  return text + fmt::format("Grade :=>> {}\n", rounded(grade.earned()));
}

std::string line(const Grade& grade) {
  std::size_t passed = 0, counted = 0, runs_of_a_case = 1;
  ordered_json times = ordered_json::array();
  for (const GradedTest& test : grade.tests) {
    if (test.of_case == nullptr || !test.counts) continue;
    const std::vector<double>& runs = test.of_case->run_seconds;
    ++counted;
    runs_of_a_case = std::max(runs_of_a_case, runs.size());
    if (!test.passed) continue;
    passed += runs.size();
    for (const double seconds : runs) times.push_back(rounded(1e3 * seconds));
  }
  return text_of({{"passed", passed}, {"total", counted * runs_of_a_case}, {"times", times}}, -1) +
         '\n';
}

}  // namespace bombard::judge
