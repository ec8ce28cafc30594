#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/judge/judgement.hpp"

namespace bombard::judge {

/// Judges the programs of a class. `progress` hears how many programs need no more but their times,
/// `judged` a program's judgements, with one number of threads after the other. A signal that is
/// held (tools::HeldSignals) is the end: `judged` does not hear of programs that were not judged
/// until then.
void judge_class(const std::vector<std::string>& programs, const std::vector<PreparedCase>& cases,
                 const Options& options, const std::function<void(std::size_t done)>& progress,
                 const std::function<void(const std::vector<ProgramJudgement>&)>& judged);

}  // namespace bombard::judge
