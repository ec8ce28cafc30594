#include "tools/judge/reports/judged_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "tools/cli/reports/report.hpp"

namespace bombard::judge {

namespace {

ordered_json number(std::optional<double> value) {
  return value ? ordered_json(*value) : ordered_json();
}

/// A case counts unless it lies beyond the assignment and others do not.
ordered_json json_of(const CaseJudgement& judgement, bool counts) {
  const PreparedCase& tried = *judgement.prepared;
  return {{"case", tried.name},
          {"tries", tried.tries},
          {"group", tried.is_beyond ? "beyond" : "assignment"},
          {"counts", counts},
          {"edition", static_cast<int>(tried.edition)},
          {"cells", tried.cells},
          {"storms", tried.storms.size()},
          {"kind", word_for(judgement.verdict)},
          {"right", judgement.verdict == Verdict::right},
          {"complaint", judgement.complaint},
          {"distance", number(judgement.distance)},
          {"looks_like", judgement.verdict == Verdict::right ? std::vector<std::string>()
                                                             : names_of(judgement.looks_like)},
          {"time_seconds", number(judgement.time)},
          {"whole_seconds", number(judgement.whole_seconds)},
          {"run_seconds", judgement.run_seconds},
          {"bombard_seconds", tried.right.seconds},
          {"sequential_seconds", judgement.sequential.seconds},
          {"sequential_is_estimate", judgement.sequential.is_estimate},
          {"shows_speed", shows_speed(tried)}};
}

/// Mistakes that cannot be told apart are alternatives.
std::string explanation_of(const ProgramJudgement& judgement) {
  const std::vector<std::string> looks = looks_of(judgement.looks_like);
  if (looks.empty()) return {};
  return fmt::format("It looks like this: {}.\nThat gives its digits in {} of the {} compared.\n",
                     fmt::join(looks, "; or "), judgement.explained,
                     plural(static_cast<std::int64_t>(judgement.compared), "case"));
}

/// The sum of the least times over the cases that show speed, or over all where none does, and the
/// sequential program's sum over it; nulls where one of these cases is wrong.
std::pair<ordered_json, ordered_json> speed_of(const std::vector<CaseJudgement>& cases) {
  const auto shows = [](const CaseJudgement& of_case) { return shows_speed(*of_case.prepared); };
  const bool all = std::ranges::none_of(cases, shows);
  double sequential = 0, seconds = 0;
  for (const CaseJudgement& of_case : cases) {
    if (!all && !shows(of_case)) continue;
    const std::optional<double> least = of_case.time ? of_case.time : of_case.whole_seconds;
    if (of_case.verdict > Verdict::rounding || !least) return {};
    sequential += of_case.sequential.seconds;
    seconds += *least;
  }
  if (seconds <= 0) return {};
  return {seconds, sequential / seconds};
}

/// Why a case is not right, and what it tries.
std::string reason(const ordered_json& of_case) {
  const std::string complaint = words_of(of_case["complaint"]);
  if (complaint.empty() || of_case["tries"] == "") return complaint;
  return fmt::format("{}\n({})", complaint, words_of(of_case["tries"]));
}

/// How much longer the slowest runs of the cases that show speed took than the quickest, as a part.
double spread_of(const ordered_json& cases) {
  const auto shows = [](const ordered_json& of_case) { return of_case["shows_speed"] == true; };
  const bool all = std::ranges::none_of(cases, shows);
  double least = 0, most = 0;
  for (const ordered_json& of_case : cases) {
    const std::vector<double> seconds = of_case["run_seconds"];
    if ((!all && !shows(of_case)) || seconds.empty()) continue;
    least += std::ranges::min(seconds);
    most += std::ranges::max(seconds);
  }
  return least > 0 ? most / least - 1 : 0;
}

/// Why a program is not right, in its first case that counts.
std::string reason_of(const ordered_json& judged, bool strict) {
  if (judged["failed_build"] != "") return words_of(judged["failed_build"]);
  for (const ordered_json& of_case : judged["cases"]) {
    if (!of_case["counts"] || passes(of_case, strict)) continue;
    return words_of(of_case["case"]) + ": " + words_of(of_case["complaint"]);
  }
  return {};
}

/// Points in 64ths, whose sums are exact in binary: parts add up to the whole.
double rounded_points(double points) {
  constexpr double parts = 64;
  return std::round(parts * points) / parts;
}

/// A test that has not been passed, yet.
ordered_json test_of(const ordered_json& program, const std::string& name,
                     const std::string& output, double most) {
  return {{"program", program}, {"name", name}, {"output", output}, {"passed", false},
          {"counts", true},     {"points", 0},  {"most", most},     {"seconds", 0}};
}

ordered_json test_of_speed(const ordered_json& programs, const Options& options) {
  ordered_json test =
      test_of(nullptr, "speed", "no speedup: a case that shows it is wrong", options.speed_points);
  const ordered_json best = sum_of(programs, options.is_strict());
  if (best["speedup"].is_null()) return test;
  const double speedup = best["speedup"];
  const double share = std::clamp((speedup - 1) / (options.full_speedup - 1), 0., 1.);
  test["output"] =
      fmt::format("speedup {:.2f}; {:g} earns all points", speedup, options.full_speedup);
  test["passed"] = best["passes"] && share == 1;
  if (best["passes"]) {
    test["points"] =
        share == 1 ? options.speed_points : rounded_points(share * options.speed_points);
  }
  return test;
}

}  // namespace

ordered_json json_of(const ProgramJudgement& judgement, const Options& options) {
  const auto is_of_assignment = [](const CaseJudgement& of_case) {
    return !of_case.prepared->is_beyond;
  };
  const bool all_count = std::ranges::none_of(judgement.cases, is_of_assignment);
  Verdict verdict = judgement.failed_build.empty() ? Verdict::right : Verdict::no_answer;
  ordered_json cases = ordered_json::array();
  for (const CaseJudgement& of_case : judgement.cases) {
    const bool counts = all_count || is_of_assignment(of_case);
    if (counts) verdict = std::max(verdict, of_case.verdict);
    cases.push_back(json_of(of_case, counts));
  }
  const auto [seconds, speedup] = speed_of(judgement.cases);
  ordered_json judged{
      {"program", judgement.program},
      {"threads", judgement.threads ? ordered_json(*judgement.threads) : ordered_json()},
      {"kind", word_for(verdict)},
      {"right", verdict == Verdict::right},
      {"confinement", judgement.confinement},
      {"failed_build", judgement.failed_build},
      {"hints", judgement.hints},
      {"seconds", seconds},
      {"points", 0},
      {"speedup", speedup},
      {"looks_like", names_of(judgement.looks_like)},
      {"explanation", explanation_of(judgement)},
      {"cases", cases}};
  judged["points"] = points_of(graded_tests(ordered_json::array({judged}), options));
  return judged;
}

bool passes(const ordered_json& judged, bool strict) {
  return judged["right"] || (!strict && judged["kind"] == word_for(Verdict::rounding));
}

ordered_json sum_of(const ordered_json& judgements, bool strict) {
  ordered_json all{{"program", ""},      {"verdict", "right"},
                   {"passes", true},     {"wrong", 0},
                   {"mistakes", ""},     {"seconds", nullptr},
                   {"speedup", nullptr}, {"spread", nullptr},
                   {"reason", ""},       {"scaling", ordered_json::array()}};
  std::int64_t wrong = 0;
  bool is_built = true;
  for (const ordered_json& judged : judgements) {
    all["program"] = judged["program"];
    is_built = is_built && judged["failed_build"] == "";
    if (verdict_of(judged["kind"]) > verdict_of(all["verdict"])) all["verdict"] = judged["kind"];
    if (!passes(judged, strict)) all["passes"] = false;
    wrong += std::ranges::count_if(
        judged["cases"], [](const ordered_json& of_case) { return !passes(of_case, false); });
    if (all["reason"] == "") all["reason"] = reason_of(judged, strict);
    if (all["mistakes"] == "") all["mistakes"] = joined(judged["looks_like"], " or ");
    if (judged["seconds"].is_null()) continue;
    if (!judged["threads"].is_null()) {
      all["scaling"].push_back({judged["threads"], judged["speedup"]});
    }
    if (!all["seconds"].is_null() && all["seconds"] <= judged["seconds"]) continue;
    all["seconds"] = judged["seconds"];
    all["speedup"] = judged["speedup"];
    all["spread"] = spread_of(judged["cases"]);
  }
  all["wrong"] = wrong;
  if (!is_built) all["verdict"] = "not built";
  return all;
}

ordered_json graded_tests(const ordered_json& programs, const Options& options) {
  const bool is_alone = std::ranges::all_of(programs, [&](const ordered_json& program) {
    return program["program"] == programs[0]["program"];
  });
  std::int64_t counted = 0, done = 0;
  for (const ordered_json& program : programs) {
    counted += std::ranges::count_if(
        program["cases"], [](const ordered_json& of_case) { return of_case["counts"] == true; });
  }
  // The last one has what is left.
  const auto points_of_next = [&] {
    const double part = options.right_points / static_cast<double>(counted);
    const double before = rounded_points(static_cast<double>(done) * part);
    ++done;
    return (done == counted ? options.right_points
                            : rounded_points(static_cast<double>(done) * part)) -
           before;
  };
  ordered_json tests = ordered_json::array();
  for (const ordered_json& program : programs) {
    const std::string before = is_alone ? "" : words_of(program["program"]) + ": ";
    const std::string failed = words_of(program["failed_build"]);
    if (!failed.empty()) tests.push_back(test_of(program["program"], before + "build", failed, 0));
    const ordered_json& threads = program["threads"];
    const std::string behind = threads.is_null() ? "" : ", " + plural(threads, "thread");
    for (const ordered_json& of_case : program["cases"]) {
      ordered_json test = test_of(program["program"], before + words_of(of_case["case"]) + behind,
                                  reason(of_case), of_case["counts"] ? points_of_next() : 0);
      test.update(of_case);
      test["passed"] = passes(of_case, options.is_strict());
      if (test["passed"]) test["points"] = test["most"];
      for (const char* member : {"whole_seconds", "time_seconds"}) {
        if (of_case[member].is_number()) test["seconds"] = of_case[member];
      }
      tests.push_back(test);
    }
  }
  if (options.speed_points > 0) tests.push_back(test_of_speed(programs, options));
  return tests;
}

double points_of(const ordered_json& tests) {
  double sum = 0;
  for (const ordered_json& test : tests) sum += test["points"].get<double>();
  return sum;
}

std::string words_of(const ordered_json& text) {
  return printable(text.get<std::string>());
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  return fmt::format("{}", fmt::join(words, between));
}

std::string with_decimals(const ordered_json& number, int decimals) {
  return number.is_number() ? fmt::format("{:.{}f}", number.get<double>(), decimals) : "-";
}

std::string dumped(const ordered_json& object, int indent) {
  constexpr bool only_ascii = false;
  return object.dump(indent, ' ', only_ascii, ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace bombard::judge
