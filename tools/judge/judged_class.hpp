#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/judge/judgement.hpp"

namespace bombard::judge {

struct ClassOptions {
  std::vector<std::optional<int>> threads = {std::nullopt};  ///< each program with each of them
};

/// What came of a program, with one number of threads after the other.
using JudgedSink = std::function<void(const std::vector<ProgramJudgement>&)>;

/// Judges the programs of a class, and tells of each when it is judged.
void judge_class(const std::vector<std::string>& programs, const std::vector<PreparedCase>& cases,
                 const JudgeOptions& options, const ClassOptions& of_class,
                 const JudgedSink& judged);

}  // namespace bombard::judge
