#include "tools/judge/reports/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "inputs/table.hpp"
#include "tools/cli/build_info.hpp"
#include "tools/cli/reports/report.hpp"
#include "tools/page/html.hpp"

namespace bombard::judge {

namespace {

using nlohmann::ordered_json;

/// The fields of a case: all formats have them from here. A number that is not known is NaN, which
/// JSON writes as null and CSV leaves out.
ordered_json fields_of(const CaseJudgement& judgement) {
  const PreparedCase& tried = *judgement.prepared;
  const bool is_right = judgement.verdict == Verdict::right;
  return {{"case", tried.name},
          {"tries", tried.tries},
          {"group", tried.is_beyond ? "beyond" : "assignment"},
          {"counts", tried.counts},
          {"edition", static_cast<int>(tried.edition)},
          {"cells", tried.cells},
          {"storms", tried.storms.size()},
          {"kind", word_for(judgement.verdict)},
          {"right", is_right},
          {"complaint", judgement.complaint},
          {"distance", judgement.distance},
          {"looks_like", is_right ? std::vector<std::string>() : names_of(judgement.looks_like)},
          {"time_seconds", judgement.time},
          {"whole_seconds", judgement.whole_seconds},
          {"run_seconds", judgement.run_seconds},
          {"bombard_seconds", tried.right.seconds},
          {"sequential_seconds", judgement.sequential_seconds},
          {"sequential_is_estimate", tried.sequential_is_estimate},
          {"shows_speed", shows_speed(tried)}};
}

/// Points in 64ths, whose sums are exact in binary, so that the parts add up to the whole.
double rounded_points(double points) {
  constexpr double parts = 64;
  return std::round(parts * points) / parts;
}

ordered_json test_of_speed(std::span<const ProgramJudgement> programs, const Options& options) {
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

/// What earns points (`--points`): cases, which share those for right answers, the speed and,
/// without points, builds that failed.
std::vector<ordered_json> tests_of(std::span<const ProgramJudgement> programs,
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
  std::vector<ordered_json> tests;
  for (const ProgramJudgement& program : programs) {
    const std::string before = is_alone ? "" : program.program + ": ";
    const std::string behind = program.threads ? ", " + plural(*program.threads, "thread") : "";
    const ordered_json of_program{
        {"program", program.program},
        {"threads", program.threads ? ordered_json(*program.threads) : ordered_json()},
        {"mistakes", fmt::to_string(fmt::join(names_of(program.looks_like), " "))}};
    if (!program.failed_build.empty()) {
      tests.push_back({{"program", program.program},
                       {"case", "build"},
                       {"name", before + "build"},
                       {"kind", "not built"},
                       {"complaint", program.failed_build},
                       {"passed", false}});
    }
    for (const CaseJudgement& of_case : program.cases) {
      ordered_json test = fields_of(of_case);
      const bool passed = passes(of_case.verdict, options);
      double most = 0;
      if (of_case.prepared->counts) {
        most = points_until(done + 1) - points_until(done);
        ++done;
      }
      test.update(of_program);
      test.update({{"name", before + of_case.prepared->name + behind},
                   {"passed", passed},
                   {"points", passed ? most : 0},
                   {"most", most}});
      tests.push_back(std::move(test));
    }
  }
  if (options.speed_points > 0) tests.push_back(test_of_speed(programs, options));
  return tests;
}

double points_of(const std::vector<ordered_json>& tests) {
  double sum = 0;
  for (const ordered_json& test : tests) sum += test.value("points", 0.);
  return sum;
}

/// Why a test is not right, and what it tries.
std::string output_of(const ordered_json& test) {
  const std::string complaint = printable(test.value("complaint", ""));
  const std::string tries = printable(test.value("tries", ""));
  return complaint.empty() || tries.empty() ? complaint : fmt::format("{}\n({})", complaint, tries);
}

ordered_json object_of(const ProgramJudgement& judgement, const Options& options) {
  ordered_json hints = ordered_json::array(), cases = ordered_json::array();
  for (const auto& [kind, hint] : judgement.hints) hints.push_back(hint);
  for (const CaseJudgement& of_case : judgement.cases) cases.push_back(fields_of(of_case));
  return {{"program", judgement.program},
          {"threads", judgement.threads ? ordered_json(*judgement.threads) : ordered_json()},
          {"kind", word_for(judgement.verdict)},
          {"right", judgement.verdict == Verdict::right},
          {"confinement", options.confinement},
          {"failed_build", judgement.failed_build},
          {"hints", hints},
          {"seconds", judgement.seconds},
          {"points", points_of(tests_of(std::span(&judgement, 1), options))},
          {"speedup", judgement.speedup},
          {"looks_like", names_of(judgement.looks_like)},
          {"explanation", explanation_of(judgement)},
          {"cases", cases}};
}

/// Bytes that are not UTF-8 become U+FFFD.
std::string text_of(const ordered_json& document) {
  constexpr bool only_ascii = false;
  return document.dump(2, ' ', only_ascii, ordered_json::error_handler_t::replace) + '\n';
}

Table::Cell cell_of(const ordered_json& value) {
  if (value.is_number_float()) return value.get<double>();
  if (value.is_number()) return value.get<std::int64_t>();
  return value.is_string() ? value.get<std::string>() : value.is_null() ? "" : value.dump();
}

/// The content of an element `testcase`. A test that loses no points does not fail.
std::string outcome_of(const ordered_json& test) {
  if (test.at("passed")) return {};
  const std::string output = output_of(test);
  const std::string message = tools::html_text(output.substr(0, output.find('\n')));
  if (!test.value("counts", true)) {
    return fmt::format("<skipped message=\"beyond the assignment: {}\"/>", message);
  }
  const bool is_build = test.at("case") == "build";
  return fmt::format("<failure type=\"{}\" message=\"{}\">{}</failure>",
                     is_build ? "build" : test.at("kind").get<std::string>(), message,
                     tools::html_text(output));
}

}  // namespace

std::string json(const std::vector<ProgramJudgement>& programs, const Options& options) {
  ordered_json objects = ordered_json::array();
  for (const ProgramJudgement& program : programs) objects.push_back(object_of(program, options));
  return text_of({{"program", "bombard"}, {"version", build_info.version}, {"programs", objects}});
}

std::string csv(const std::vector<ProgramJudgement>& programs, const Options& options) {
  const std::vector<std::string> columns{"program",
                                         "case",
                                         "edition",
                                         "cells",
                                         "storms",
                                         "answer",
                                         "complaint",
                                         "looks_like",
                                         "time_seconds",
                                         "whole_seconds",
                                         "bombard_seconds",
                                         "sequential_seconds",
                                         "sequential_is_estimate",
                                         "group",
                                         "distance",
                                         "threads",
                                         "points"};
  Table table(columns);
  for (auto first = programs.begin(); first != programs.end();) {
    const auto end = std::find_if(first, programs.end(), [&](const ProgramJudgement& one) {
      return one.program != first->program;
    });
    for (const ordered_json& test : tests_of({first, end}, options)) {
      std::vector<Table::Cell> row;
      for (const std::string& column : columns) {
        const std::string field = column == "answer"       ? "kind"
                                  : column == "looks_like" ? "mistakes"
                                                           : column;
        row.push_back(cell_of(test.value(field, ordered_json(""))));
      }
      table.add(std::move(row));
    }
    first = end;
  }
  return table.csv();
}

std::string gradescope(const std::vector<ProgramJudgement>& programs, const Options& options) {
  const std::vector<ordered_json> graded = tests_of(programs, options);
  ordered_json tests = ordered_json::array();
  for (const ordered_json& test : graded) {
    tests.push_back({{"name", printable(test.at("name").get<std::string>())},
                     {"score", test.value("points", 0.)},
                     {"max_score", test.value("most", 0.)},
                     {"status", test.at("passed") ? "passed" : "failed"},
                     {"output", output_of(test)},
                     {"visibility", "visible"}});
  }
  std::string output;
  for (const ProgramJudgement& program : programs) output += remarks(program);
  ordered_json results{{"score", points_of(graded)},
                       {"output", output},
                       {"visibility", "visible"},
                       {"tests", tests}};
  const Standing best = standing_of(programs, options);
  if (!std::isnan(best.seconds)) {
    results["leaderboard"] = {{{"name", "Time (s)"}, {"value", best.seconds}, {"order", "asc"}},
                              {{"name", "Speedup"}, {"value", best.speedup}}};
  }
  return text_of(results);
}

std::string junit(const std::vector<ProgramJudgement>& programs, const Options& options) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const ProgramJudgement& program : programs) {
    const std::string name = tools::html_text(printable(program.program));
    std::string tests;
    int count = 0, failures = 0, skipped = 0;
    double all_seconds = 0;
    for (const ordered_json& test : tests_of(std::span(&program, 1), options)) {
      if (test.at("case") == "speed") continue;
      ++count;
      if (!test.at("passed")) ++(test.value("counts", true) ? failures : skipped);
      const auto runs = test.value("run_seconds", std::vector<double>());
      const double seconds = runs.empty() ? 0 : std::ranges::min(runs);
      all_seconds += seconds;
      tests +=
          fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\">{}</testcase>\n",
                      name, tools::html_text(printable(test.at("name").get<std::string>())),
                      seconds, outcome_of(test));
    }
    text += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" "
        "time=\"{:.3f}\">\n{}    <system-out>{}</system-out>\n  </testsuite>\n",
        name, count, failures, skipped, all_seconds, tests, tools::html_text(remarks(program)));
  }
  return text + "</testsuites>\n";
}

}  // namespace bombard::judge
