#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/judge/judgement.hpp"

namespace bombard::judge {

struct ClassOptions {
  std::string build = {};                                    ///< a command; empty for none
  int jobs = 1;                                              ///< programs judged side by side
  std::vector<std::optional<int>> threads = {std::nullopt};  ///< each program with each of them
};

/// Who watches a class being judged.
struct ClassObserver {
  std::function<void(std::size_t done)> progress;  ///< programs that need no more but their times
  /// A program's judgements, with one number of threads after the other.
  std::function<void(const std::vector<ProgramJudgement>&)> judged;
};

/// Judges the programs of a class. A signal that is held (tools::HeldSignals) is the end: of
/// programs that were judged until then the observer hears, of others it does not.
void judge_class(const std::vector<std::string>& programs, const std::vector<PreparedCase>& cases,
                 const JudgeOptions& options, const ClassOptions& of_class,
                 const ClassObserver& observer);

}  // namespace bombard::judge
