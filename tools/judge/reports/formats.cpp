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

ordered_json threads_of(const ProgramJudgement& program) {
  return program.threads ? ordered_json(*program.threads) : ordered_json();
}

std::vector<std::string> names_of(const ProgramJudgement& program) {
  return texts_of(program.looks_like, &Mistake::name);
}

/// A program's case. A number that is not known is NaN, which JSON writes as null and CSV leaves
/// out.
ordered_json row_of(const ProgramJudgement& program, const CaseJudgement& judgement,
                    const Options& options) {
  const PreparedCase& tried = *judgement.prepared;
  const std::string behind = program.threads ? ", " + plural(*program.threads, "thread") : "";
  return {{"program", program.program},
          {"threads", threads_of(program)},
          {"case", tried.name},
          {"name", tried.name + behind},
          {"tries", tried.tries},
          {"group", tried.is_beyond ? "beyond" : "assignment"},
          {"counts", tried.counts},
          {"edition", static_cast<int>(tried.edition)},
          {"cells", tried.cells},
          {"storms", tried.storms.size()},
          {"kind", word_for(judgement.verdict)},
          {"right", judgement.verdict == Verdict::right},
          {"passed", passes(judgement.verdict, options)},
          {"points", 0.},
          {"most", 0.},
          {"complaint", judgement.complaint},
          {"distance", judgement.distance},
          {"looks_like", texts_of(judgement.looks_like, &Mistake::name)},
          {"mistakes", fmt::to_string(fmt::join(names_of(program), " "))},
          {"time_seconds", judgement.time},
          {"whole_seconds", judgement.whole_seconds},
          {"run_seconds", judgement.run_seconds},
          {"bombard_seconds", tried.right.seconds},
          {"sequential_seconds", judgement.sequential_seconds},
          {"sequential_is_estimate", tried.sequential_is_estimate},
          {"shows_speed", shows_speed(tried)}};
}

ordered_json row_of_failed_build(const ProgramJudgement& program) {
  return {{"program", program.program},
          {"threads", threads_of(program)},
          {"case", "build"},
          {"name", "build"},
          {"kind", "not built"},
          {"complaint", program.failed_build},
          {"passed", false},
          {"points", 0.},
          {"most", 0.}};
}

/// Points in 64ths, whose sums are exact in binary, so that the parts add up to the whole.
double rounded_points(double points) {
  constexpr double parts = 64;
  return std::round(parts * points) / parts;
}

ordered_json row_of_speed(Programs programs, const Options& options) {
  const Standing best = standing_of(programs, options);
  const bool is_known = !std::isnan(best.speedup);
  double share = is_known ? (best.speedup - 1) / (options.full_speedup - 1) : 0;
  share = best.passes ? std::clamp(share, 0., 1.) : 0;
  return {
      {"program", best.program},
      {"case", "speed"},
      {"name", "speed"},
      {"complaint", is_known ? fmt::format("speedup {:.2f}; {:g} earns all points", best.speedup,
                                           options.full_speedup)
                    : best.passes ? "no speedup: no case shows it"
                                  : "no speedup: a case that shows it is not right"},
      {"passed", share == 1},
      {"points", share == 1 ? options.speed_points : rounded_points(share * options.speed_points)},
      {"most", options.speed_points}};
}

/// A program's rows, which all formats write: its cases, which share the points for right answers
/// (`--points`), a build that failed, and the speed if that earns points.
std::vector<ordered_json> rows_of(Programs programs, const Options& options) {
  std::vector<ordered_json> rows;
  for (const ProgramJudgement& program : programs) {
    if (!program.failed_build.empty()) rows.push_back(row_of_failed_build(program));
    for (const CaseJudgement& of_case : program.cases) {
      rows.push_back(row_of(program, of_case, options));
    }
  }
  const auto counts = [](const ordered_json& row) { return row.value("counts", false); };
  const auto all = static_cast<double>(std::ranges::count_if(rows, counts));
  double done = 0, given = 0;
  for (ordered_json& row : rows) {
    if (!counts(row)) continue;
    const double share = ++done / all * options.right_points;
    const double until = done == all ? options.right_points : rounded_points(share);
    row["most"] = until - given;
    if (row["passed"]) row["points"] = row["most"];
    given = until;
  }
  if (options.speed_points > 0) rows.push_back(row_of_speed(programs, options));
  return rows;
}

double points_of(const std::vector<ordered_json>& rows) {
  double sum = 0;
  for (const ordered_json& row : rows) sum += row["points"].get<double>();
  return sum;
}

/// Why a row is not right, and what it tries.
std::string output_of(const ordered_json& row) {
  const std::string complaint = printable(row.value("complaint", ""));
  const std::string tries = printable(row.value("tries", ""));
  return complaint.empty() || tries.empty() ? complaint : fmt::format("{}\n({})", complaint, tries);
}

ordered_json object_of(const ProgramJudgement& judgement, const Options& options) {
  const std::vector<ordered_json> rows = rows_of(Programs(&judgement, 1), options);
  ordered_json hints = ordered_json::array(), cases = ordered_json::array();
  for (const auto& [kind, hint] : judgement.hints) hints.push_back(hint);
  for (ordered_json row : rows) {
    if (!row.contains("tries")) continue;
    for (const char* other : {"program", "threads", "mistakes", "name", "passed", "most"}) {
      row.erase(other);  // for other formats
    }
    cases.push_back(std::move(row));
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
          {"looks_like", names_of(judgement)},
          {"explanation", judgement.explanation},
          {"cases", cases}};
}

Table::Cell cell_of(const ordered_json& value) {
  if (value.is_number_float()) return value.get<double>();
  if (value.is_number()) return value.get<std::int64_t>();
  return value.is_string() ? value.get<std::string>() : value.is_null() ? "" : value.dump();
}

/// A row as an element of JUnit's. One that loses no points does not fail.
std::string testcase_of(const ordered_json& row, double seconds, const std::string& program) {
  std::string outcome;
  const std::string output = output_of(row);
  const std::string message = tools::html_text(output.substr(0, output.find('\n')));
  if (!row["passed"] && !row.value("counts", true)) {
    outcome = fmt::format("<skipped message=\"beyond the assignment: {}\"/>", message);
  } else if (!row["passed"]) {
    const bool is_build = row["kind"] == "not built";
    outcome = fmt::format("<failure type=\"{}\" message=\"{}\">{}</failure>",
                          is_build ? "build" : row["kind"].get<std::string>(), message,
                          tools::html_text(output));
  }
  return fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\">{}</testcase>\n",
                     program, tools::html_text(printable(row["name"].get<std::string>())), seconds,
                     outcome);
}

}  // namespace

std::string json(const std::vector<ProgramJudgement>& programs, const Options& options) {
  ordered_json objects = ordered_json::array();
  for (const ProgramJudgement& program : programs) objects.push_back(object_of(program, options));
  return json_text(
      {{"program", "bombard"}, {"version", build_info.version}, {"programs", objects}});
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
    for (ordered_json& row : rows_of({first, end}, options)) {
      row["answer"] = row.value("kind", "");
      row["looks_like"] = row.value("mistakes", "");
      std::vector<Table::Cell> cells;
      for (const std::string& column : columns) cells.push_back(cell_of(row[column]));
      table.add(std::move(cells));
    }
  }
  return table.csv();
}

std::string gradescope(const std::vector<ProgramJudgement>& programs, const Options& options) {
  const std::vector<ordered_json> rows = rows_of(programs, options);
  ordered_json tests = ordered_json::array();
  for (const ordered_json& row : rows) {
    tests.push_back({{"name", printable(row["name"].get<std::string>())},
                     {"score", row["points"]},
                     {"max_score", row["most"]},
                     {"status", row["passed"] ? "passed" : "failed"},
                     {"output", output_of(row)},
                     {"visibility", "visible"}});
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
    const std::string name = tools::html_text(printable(program.program));
    const std::vector<ordered_json> rows = rows_of(Programs(&program, 1), without_speed);
    std::string tests;
    int failures = 0, skipped = 0;
    double all_seconds = 0;
    for (const ordered_json& row : rows) {
      if (!row["passed"]) ++(row.value("counts", true) ? failures : skipped);
      const auto runs = row.value("run_seconds", std::vector<double>());
      const double seconds = runs.empty() ? 0 : std::ranges::min(runs);
      all_seconds += seconds;
      tests += testcase_of(row, seconds, name);
    }
    text += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" "
        "time=\"{:.3f}\">\n{}    <system-out>{}</system-out>\n  </testsuite>\n",
        name, rows.size(), failures, skipped, all_seconds, tests,
        tools::html_text(remarks(program)));
  }
  return text + "</testsuites>\n";
}

}  // namespace bombard::judge
