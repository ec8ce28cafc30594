#include "tools/judge/reports/graded_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>
#include <string_view>

#include "tools/cli/report.hpp"
#include "tools/judge/reports/judgement_report.hpp"
#include "tools/page/html.hpp"

namespace bombard::judge {

namespace {

using nlohmann::ordered_json;

/// "ties", "ties, 2 threads".
std::string name_of(const GradedCase& graded) {
  const std::string name = printable(graded.judgement->prepared->tried.name);
  const std::optional<int> threads = graded.program->threads;
  return threads ? fmt::format("{}, {}", name, plural(*threads, "thread")) : name;
}

std::string full_name_of(const GradedCase& graded, bool several_programs) {
  if (!several_programs) return name_of(graded);
  return fmt::format("{}: {}", printable(graded.program->program), name_of(graded));
}

/// Why a case is not right, and what it tries.
std::string reason(const GradedCase& graded) {
  const std::string& tries = graded.judgement->prepared->tried.tries;
  const std::string complaint = printable(graded.judgement->complaint);
  if (complaint.empty() || tries.empty()) return complaint;
  return fmt::format("{}\n({})", complaint, printable(tries));
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

std::string speed_text(const Grade& grade) {
  if (!grade.speed) return "no speedup: a case that shows it is wrong";
  return fmt::format("speedup {:.2f}; {:g} earns all points", grade.speed->speedup,
                     grade.points.full_speedup);
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

double seconds_of(const CaseJudgement& judgement) {
  return judgement.time.value_or(judgement.whole_seconds.value_or(0));
}

/// An element `testcase`; `outcome` is the element in it, if any.
std::string test_case(const std::string& classname, const std::string& name, double seconds,
                      const std::string& outcome) {
  return fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\">{}</testcase>\n",
                     xml_text(classname), xml_text(name), seconds, outcome);
}

/// The content of a case's element. Where no points are lost, a test does not fail.
std::string outcome_of(const GradedCase& graded) {
  if (graded.passed) return {};
  const std::string message = xml_text(printable(graded.judgement->complaint));
  if (graded.most == 0) {
    return fmt::format("<skipped message=\"beyond the assignment: {}\"/>", message);
  }
  return fmt::format("<failure type=\"{}\" message=\"{}\">{}</failure>",
                     word_for(graded.judgement->verdict), message, xml_text(reason(graded)));
}

}  // namespace

std::string gradescope(const Grade& grade) {
  const bool several = by_program(grade.programs).size() > 1;
  ordered_json tests = ordered_json::array();
  for (const GradedCase& graded : grade.cases) {
    tests.push_back({{"name", full_name_of(graded, several)},
                     {"score", rounded(graded.points)},
                     {"max_score", rounded(graded.most)},
                     {"status", graded.passed ? "passed" : "failed"},
                     {"output", reason(graded)},
                     {"visibility", "visible"}});
  }
  if (grade.points.speed > 0) {
    tests.push_back({{"name", "speed"},
                     {"score", rounded(grade.speed_points)},
                     {"max_score", grade.points.speed},
                     {"output", speed_text(grade)},
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
    const std::string name = printable(program.program);
    std::string tests;
    int count = 0, failures = 0, skipped = 0;
    double seconds = 0;
    for (const GradedCase& graded : grade.cases) {
      if (graded.program != &program) continue;
      ++count;
      if (!graded.passed) ++(graded.most > 0 ? failures : skipped);
      seconds += seconds_of(*graded.judgement);
      tests += test_case(name, name_of(graded), seconds_of(*graded.judgement), outcome_of(graded));
    }
    if (!program.failed_build.empty()) {
      ++count;
      ++failures;
      tests += test_case(name, "build", 0,
                         fmt::format("<failure type=\"build\" message=\"not built\">{}</failure>",
                                     xml_text(printable(program.failed_build))));
    }
    text += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" "
        "time=\"{:.3f}\">\n{}    <system-out>{}</system-out>\n  </testsuite>\n",
        xml_text(name), count, failures, skipped, seconds, tests, xml_text(remarks(program)));
  }
  return text + "</testsuites>\n";
}

std::string classroom(const Grade& grade) {
  const bool several = by_program(grade.programs).size() > 1;
  ordered_json tests = ordered_json::array();
  bool all_pass = true;
  const auto add = [&](const std::string& name, bool passed, double score, double most,
                       const std::string& message, double seconds) {
    all_pass = all_pass && passed;
    tests.push_back({{"name", name},
                     {"status", passed ? "pass" : "fail"},
                     {"score", rounded(score)},
                     {"max_score", rounded(most)},
                     {"message", message},
                     {"test_code", message},  // what the reporter shows of a test
                     {"filename", ""},
                     {"line_no", 0},
                     {"duration", 1e3 * seconds}});
  };
  for (const GradedCase& graded : grade.cases) {
    if (graded.most == 0) continue;  // the reporter counts all tests alike
    add(full_name_of(graded, several), graded.passed, graded.points, graded.most, reason(graded),
        seconds_of(*graded.judgement));
  }
  for (const ProgramJudgement& program : grade.programs) {
    if (!program.failed_build.empty()) add("build", false, 0, 0, program.failed_build, 0);
  }
  if (grade.points.speed > 0) {
    add("speed", grade.speed_points >= grade.points.speed, grade.speed_points, grade.points.speed,
        speed_text(grade), 0);
  }
  const std::string object = text_of({{"version", 1},
                                      {"status", all_pass ? "pass" : "fail"},
                                      {"max_score", grade.most()},
                                      {"tests", tests}},
                                     -1);
  return tools::base64(std::as_bytes(std::span(object))) + '\n';
}

std::string vpl(const Grade& grade) {
  const bool several = by_program(grade.programs).size() > 1;
  std::string text;
  const auto comment = [&](const std::string& lines) {
    std::istringstream stream(lines);
    for (std::string one; std::getline(stream, one);) text += "Comment :=>>" + one + '\n';
  };
  comment(remarks_on(grade));
  for (const GradedCase& graded : grade.cases) {
    comment(fmt::format("-{}: {}", full_name_of(graded, several),
                        word_for(graded.judgement->verdict)));  // a title
    comment(reason(graded));
  }
  if (grade.points.speed > 0) comment("-" + speed_text(grade));
  return text + fmt::format("Grade :=>> {}\n", rounded(grade.earned()));
}

std::string line(const Grade& grade) {
  std::size_t passed = 0, counted = 0, runs_of_a_case = 1;
  ordered_json times = ordered_json::array();
  for (const GradedCase& graded : grade.cases) {
    if (graded.most == 0) continue;
    const std::vector<double>& runs = graded.judgement->run_seconds;
    ++counted;
    runs_of_a_case = std::max(runs_of_a_case, runs.size());
    if (!graded.passed) continue;
    passed += runs.size();
    for (const double seconds : runs) times.push_back(rounded(1e3 * seconds));
  }
  return text_of({{"passed", passed}, {"total", counted * runs_of_a_case}, {"times", times}}, -1) +
         '\n';
}

}  // namespace bombard::judge
