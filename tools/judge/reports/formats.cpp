#include "tools/judge/reports/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "inputs/table.hpp"
#include "tools/cli/build_info.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/reports/report.hpp"
#include "tools/page/html.hpp"

namespace bombard::judge {

namespace {

using nlohmann::ordered_json;
using Programs = std::span<const ProgramJudgement>;

/// What all formats write of a program: a case, a build that failed, or the speed.
struct Row {
  const ProgramJudgement* program = nullptr;
  const CaseJudgement* of_case = nullptr;  ///< null for a build and a speed
  std::string name = {};                   ///< of the case, "build" or "speed"
  std::string kind = {};  ///< the word for a verdict, or "not built"; empty for a speed
  std::string complaint = {};
  bool passed = false;
  double points = 0, most = 0;

  bool counts() const { return of_case != nullptr && of_case->prepared->counts; }
  /// The name, for people.
  std::string title() const {
    const bool has_threads = of_case != nullptr && program->threads;
    return printable(has_threads ? name + ", " + plural(*program->threads, "thread") : name);
  }
  /// Why it is not right, and what it tries.
  std::string output() const {
    const std::string tries = of_case == nullptr ? "" : printable(of_case->prepared->tries);
    const bool is_right = complaint.empty() || tries.empty();
    return printable(complaint) + (is_right ? "" : fmt::format("\n({})", tries));
  }
};

/// Points in 64ths, whose sums are exact in binary, so that the parts add up to the whole.
double rounded_points(double points) {
  constexpr double parts = 64;
  return std::round(parts * points) / parts;
}

Row row_of_speed(Programs programs, const Options& options) {
  const Standing best = standing_of(programs, options);
  const bool is_known = !std::isnan(best.speedup);
  double share = is_known ? (best.speedup - 1) / (options.full_speedup - 1) : 0;
  share = best.passes ? std::clamp(share, 0., 1.) : 0;
  Row row{.program = &programs.front(), .name = "speed", .passed = share == 1};
  row.complaint = is_known      ? fmt::format("speedup {:.2f}; {:g} earns all points", best.speedup,
                                              options.full_speedup)
                  : best.passes ? "no speedup: no case shows it"
                                : "no speedup: a case that shows it is not right";
  row.most = options.speed_points;
  row.points = share == 1 ? row.most : rounded_points(share * row.most);
  return row;
}

/// A program's rows. Its cases share the points for right answers (`--points`).
std::vector<Row> rows_of(Programs programs, const Options& options) {
  std::vector<Row> rows;
  for (const ProgramJudgement& program : programs) {
    if (!program.failed_build.empty()) {
      rows.push_back({&program, nullptr, "build", "not built", program.failed_build});
    }
    for (const CaseJudgement& of_case : program.cases) {
      rows.push_back({&program, &of_case, of_case.prepared->name,
                      std::string(word_for(of_case.verdict)), of_case.complaint,
                      passes(of_case.verdict, options)});
    }
  }
  const auto all = static_cast<double>(std::ranges::count_if(rows, &Row::counts));
  double done = 0, given = 0;
  for (Row& row : rows) {
    if (!row.counts()) continue;
    const double share = ++done / all * options.right_points;
    const double until = done == all ? options.right_points : rounded_points(share);
    row.most = until - given;
    row.points = row.passed ? row.most : 0;
    given = until;
  }
  if (options.speed_points > 0) rows.push_back(row_of_speed(programs, options));
  return rows;
}

double points_of(const std::vector<Row>& rows) {
  double sum = 0;
  for (const Row& row : rows) sum += row.points;
  return sum;
}

std::vector<std::string> names_of(const std::vector<const Mistake*>& mistakes) {
  return texts_of(mistakes, &Mistake::name);
}

/// The members of a case; none for other rows. A number that is not known is NaN, which JSON writes
/// as null and CSV leaves out.
ordered_json members_of(const Row& row) {
  if (row.of_case == nullptr) return ordered_json::object();
  const CaseJudgement& judgement = *row.of_case;
  const PreparedCase& tried = *judgement.prepared;
  return {{"case", tried.name},
          {"tries", tried.tries},
          {"group", tried.is_beyond ? "beyond" : "assignment"},
          {"counts", tried.counts},
          {"edition", static_cast<int>(tried.edition)},
          {"cells", tried.cells},
          {"storms", tried.storms.size()},
          {"kind", row.kind},
          {"right", judgement.verdict == Verdict::right},
          {"points", row.points},
          {"complaint", row.complaint},
          {"distance", judgement.distance},
          {"looks_like", names_of(judgement.looks_like)},
          {"time_seconds", judgement.time},
          {"whole_seconds", judgement.whole_seconds},
          {"run_seconds", judgement.run_seconds},
          {"bombard_seconds", tried.right_seconds},
          {"sequential_seconds", judgement.sequential_seconds},
          {"sequential_is_estimate", tried.sequential_is_estimate},
          {"shows_speed", shows_speed(tried)}};
}

ordered_json threads_of(const ProgramJudgement& program) {
  return program.threads ? ordered_json(*program.threads) : ordered_json();
}

ordered_json object_of(const ProgramJudgement& judgement, const Options& options) {
  const std::vector<Row> rows = rows_of(Programs(&judgement, 1), options);
  ordered_json hints = ordered_json::array(), cases = ordered_json::array();
  for (const auto& [kind, hint] : judgement.hints) hints.push_back(hint);
  for (const Row& row : rows) {
    if (row.of_case != nullptr) cases.push_back(members_of(row));
  }
  return {{"program", judgement.program},
          {"threads", threads_of(judgement)},
          {"kind", word_for(judgement.verdict)},
          {"right", judgement.verdict == Verdict::right},
          {"confinement", options.confinement},
          {"failed_build", judgement.failed_build},
          {"hints", hints},
          {"seconds", judgement.seconds},
          {"points", points_of(rows)},
          {"speedup", judgement.speedup},
          {"looks_like", names_of(judgement.looks_like)},
          {"explanation", judgement.explanation},
          {"cases", cases}};
}

Table::Cell cell_of(const ordered_json& value) {
  if (value.is_number_float()) return value.get<double>();
  if (value.is_number()) return value.get<std::int64_t>();
  return value.is_string() ? value.get<std::string>() : value.is_null() ? "" : value.dump();
}

/// A row as an element of JUnit's. One that loses no points does not fail.
std::string testcase_of(const Row& row, double seconds) {
  std::string outcome;
  const std::string output = tools::html_text(row.output());
  const std::string message = output.substr(0, output.find('\n'));
  if (!row.passed && row.of_case != nullptr && !row.counts()) {
    outcome = fmt::format("<skipped message=\"beyond the assignment: {}\"/>", message);
  } else if (!row.passed) {
    outcome = fmt::format("<failure type=\"{}\" message=\"{}\">{}</failure>",
                          row.of_case == nullptr ? "build" : row.kind, message, output);
  }
  return fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\">{}</testcase>\n",
                     tools::html_text(printable(row.program->program)),
                     tools::html_text(row.title()), seconds, outcome);
}

}  // namespace

std::string json(const std::vector<ProgramJudgement>& programs, const Options& options) {
  ordered_json objects = ordered_json::array();
  for (const ProgramJudgement& program : programs) objects.push_back(object_of(program, options));
  return json_text(
      {{"program", "bombard"}, {"version", build_info::version}, {"programs", objects}});
}

std::string csv(const std::vector<ProgramJudgement>& programs, const Options& options) {
  const std::vector<std::string> columns = tools::parts_of(
      "program case edition cells storms answer complaint looks_like time_seconds whole_seconds "
      "bombard_seconds sequential_seconds sequential_is_estimate group distance threads points",
      ' ');
  Table table(columns);
  for (auto first = programs.begin(), end = first; first != programs.end(); first = end) {
    end = std::find_if(first, programs.end(),
                       [&](const ProgramJudgement& one) { return one.program != first->program; });
    for (const Row& row : rows_of({first, end}, options)) {
      ordered_json members = members_of(row);
      members["program"] = row.program->program;
      members["case"] = row.name;
      members["answer"] = row.kind;
      members["complaint"] = row.complaint;
      if (!row.kind.empty()) {  // the speed is of all numbers of threads
        members["looks_like"] = fmt::to_string(fmt::join(names_of(row.program->looks_like), " "));
        members["threads"] = threads_of(*row.program);
      }
      members["points"] = row.points;
      std::vector<Table::Cell> cells;
      for (const std::string& column : columns) cells.push_back(cell_of(members[column]));
      table.add(std::move(cells));
    }
  }
  return table.csv();
}

std::string gradescope(const std::vector<ProgramJudgement>& programs, const Options& options) {
  if (programs.empty()) return {};
  const std::vector<Row> rows = rows_of(programs, options);
  ordered_json tests = ordered_json::array();
  for (const Row& row : rows) {
    ordered_json test{{"name", row.title()},
                      {"score", row.points},
                      {"max_score", row.most},
                      {"output", row.output()},
                      {"visibility", "visible"}};
    const bool is_speed = row.kind.empty();  // less than all of its points is no failure
    if (!is_speed) test["status"] = row.passed ? "passed" : "failed";
    tests.push_back(std::move(test));
  }
  std::string output;
  for (const ProgramJudgement& program : programs) output += remarks(program);
  ordered_json results{
      {"score", points_of(rows)}, {"output", output}, {"visibility", "visible"}, {"tests", tests}};
  const Standing best = standing_of(programs, options);
  if (!std::isnan(best.seconds)) {
    results["leaderboard"] = {{{"name", "Time (s)"}, {"value", best.seconds}, {"order", "asc"}},
                              {{"name", "Speedup"}, {"value", best.speedup}}};
  }
  return json_text(results);
}

std::string junit(const std::vector<ProgramJudgement>& programs, const Options& options) {
  Options without_speed = options;
  without_speed.speed_points = 0;
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const ProgramJudgement& program : programs) {
    const std::vector<Row> rows = rows_of(Programs(&program, 1), without_speed);
    std::string tests;
    int failures = 0, skipped = 0;
    double all_seconds = 0;
    for (const Row& row : rows) {
      if (!row.passed) ++(row.of_case == nullptr || row.counts() ? failures : skipped);
      const bool is_timed = row.of_case != nullptr && !std::isnan(row.of_case->seconds);
      const double seconds = is_timed ? row.of_case->seconds : 0;
      all_seconds += seconds;
      tests += testcase_of(row, seconds);
    }
    text += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" "
        "time=\"{:.3f}\">\n{}    <system-out>{}</system-out>\n  </testsuite>\n",
        tools::html_text(printable(program.program)), rows.size(), failures, skipped, all_seconds,
        tests, tools::html_text(remarks(program)));
  }
  return text + "</testsuites>\n";
}

}  // namespace bombard::judge
