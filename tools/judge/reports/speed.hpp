#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/judge/judgement.hpp"

namespace bombard::judge {

/// Whether the sequential program takes 10 ms or more: in less a process and its threads do little
/// but start.
bool shows_speed(const CaseJudgement& judgement);

/// How quick a program is, over the cases that show it; over all cases where there are none.
struct Speed {
  double seconds = 0;  ///< the sum of its least times: `Time:`, else those of whole processes
  double speedup = 0;  ///< the sequential program's sum over it
};

/// Nothing where one of these cases is neither right nor right up to rounding.
std::optional<Speed> speed_of(const ProgramJudgement& judgement);

/// Judgements of one program, with one number of threads after the other, stand together.
std::vector<std::span<const ProgramJudgement>> by_program(
    std::span<const ProgramJudgement> judgements);

/// The speed of the quickest judgement.
std::optional<Speed> best_speed(std::span<const ProgramJudgement> judgements);

/// For people: how a program scales, a line for each number of threads with a bar as long as the
/// speedup. Efficiency is the speedup over the threads.
std::string scaling_table(std::span<const ProgramJudgement> judgements);

}  // namespace bombard::judge
