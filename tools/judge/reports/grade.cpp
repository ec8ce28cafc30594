#include "tools/judge/reports/grade.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "tools/cli/reports/report.hpp"

namespace bombard::judge {

namespace {

/// Why a case is not right, and what it tries.
std::string reason(const ordered_json& of_case) {
  const std::string complaint = printable(of_case["complaint"].get<std::string>());
  if (complaint.empty() || of_case["tries"] == "") return complaint;
  return fmt::format("{}\n({})", complaint, printable(of_case["tries"].get<std::string>()));
}

ordered_json test_of_speed(const ordered_json& programs, const Options& options) {
  ordered_json test{{"program", nullptr},
                    {"name", "speed"},
                    {"output", "no speedup: a case that shows it is wrong"},
                    {"passed", false},
                    {"counts", true},
                    {"points", 0},
                    {"most", options.speed_points}};
  const ordered_json best = sum_of(programs, options.strict);
  if (best["speedup"].is_null()) return test;
  const double speedup = best["speedup"];
  const double share = std::clamp((speedup - 1) / (options.full_speedup - 1), 0., 1.);
  test["output"] =
      fmt::format("speedup {:.2f}; {:g} earns all points", speedup, options.full_speedup);
  if (best["passes"]) test["points"] = share * options.speed_points;
  test["passed"] = test["points"] >= test["most"];
  return test;
}

}  // namespace

ordered_json graded_tests(const ordered_json& programs, const Options& options) {
  ordered_json tests = ordered_json::array();
  for (const ordered_json& program : programs) {
    ordered_json test{{"program", program["program"]},
                      {"name", "build"},
                      {"output", printable(program["failed_build"].get<std::string>())},
                      {"passed", false},
                      {"counts", true},
                      {"points", 0},
                      {"most", 0}};
    if (test["output"] != "") tests.push_back(test);
    const ordered_json& threads = program["threads"];
    const std::string with_threads = threads.is_null() ? "" : ", " + plural(threads, "thread");
    const auto counted = std::ranges::count_if(
        program["cases"], [](const ordered_json& of_case) { return of_case["counts"] == true; });
    const double points =
        options.right_points / static_cast<double>(programs.size()) / static_cast<double>(counted);
    for (const ordered_json& of_case : program["cases"]) {
      test.update(of_case);
      test["name"] = printable(of_case["case"].get<std::string>()) + with_threads;
      test["output"] = reason(of_case);
      test["passed"] = passes(of_case, options.strict);
      const double most = of_case["counts"] ? points : 0;
      test["most"] = most;
      test["points"] = test["passed"] ? most : 0;
      tests.push_back(test);
    }
  }
  if (options.speed_points > 0) tests.push_back(test_of_speed(programs, options));
  return tests;
}

double sum(const ordered_json& tests, const char* member) {
  double sum = 0;
  for (const ordered_json& test : tests) sum += test[member].get<double>();
  return sum;
}

}  // namespace bombard::judge
