#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "tools/judge/judgement.hpp"

namespace bombard::judge {

/// What a program prints on a case.
using Printed = std::function<std::vector<Maximum>(const PreparedCase&)>;

/// The runs of a program, which all print the same, on the cases in which every mistake shows.
inline ProgramRuns runs_of(const Printed& printed) {
  static const std::vector<PreparedCase> cases = [] {
    std::vector<Case> quick = quick_cases(Edition::second);
    std::erase_if(quick, [](const Case& tried) { return !shows_mistakes(tried); });
    return prepare(std::move(quick));
  }();
  ProgramRuns runs;
  for (const PreparedCase& prepared : cases) {
    Run run;
    run.answer = parse_answer(result_line(printed(prepared)), prepared.storms.size());
    run.hints["time"] = "Its Time: " + prepared.name;
    runs.cases.push_back({&prepared, {run, run, run}});
  }
  return runs;
}

}  // namespace bombard::judge
