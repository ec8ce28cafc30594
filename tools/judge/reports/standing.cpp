#include "tools/judge/reports/standing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/cli/reports/report.hpp"

namespace bombard::judge {

namespace {

/// Why a program has its verdict, in the first case that has it and counts.
std::string reason_of(const ProgramJudgement& judgement) {
  if (!judgement.failed_build.empty()) return printable(judgement.failed_build);
  for (const CaseJudgement& of_case : judgement.cases) {
    if (!of_case.prepared->counts || of_case.verdict != judgement.verdict) continue;
    return printable(of_case.prepared->name + ": " + of_case.complaint);
  }
  return {};
}

}  // namespace

Standing standing_of(std::span<const ProgramJudgement> judgements, const Options& options) {
  Standing all{.program = judgements.front().program};
  Verdict worst = Verdict::right;
  for (const ProgramJudgement& judgement : judgements) {
    if (judgement.verdict > worst) {
      worst = judgement.verdict;
      all.reason = passes(worst, options) ? "" : reason_of(judgement);
      all.mistakes.clear();
    }
    // Of another verdict, a mistake is not the reason.
    if (worst == Verdict::wrong && all.mistakes.empty()) {
      all.mistakes = fmt::to_string(fmt::join(names_of(judgement.looks_like), " or "));
    }
    all.wrong += static_cast<int>(std::ranges::count_if(
        judgement.cases, [](const auto& one) { return one.verdict > Verdict::rounding; }));
    if (std::isnan(judgement.seconds)) continue;
    if (judgement.threads) all.scaling.emplace_back(*judgement.threads, judgement.speedup);
    if (all.seconds <= judgement.seconds) continue;
    all.seconds = judgement.seconds;
    all.speedup = judgement.speedup;
    all.spread = judgement.spread;
  }
  all.passes = passes(worst, options);
  all.verdict = judgements.front().failed_build.empty() ? word_for(worst) : "not built";
  return all;
}

void give_ranks(std::vector<Standing>& standings) {
  std::ranges::stable_sort(standings, {}, [](const Standing& standing) {
    return std::pair(!standing.passes, std::isnan(standing.speedup) ? 0 : -standing.speedup);
  });
  const Standing* first = nullptr;  // of the rank
  int place = 0;
  for (Standing& standing : standings) {
    if (!standing.passes) break;
    ++place;
    const bool is_shared =
        first != nullptr &&
        first->speedup <= standing.speedup * (1 + std::max(first->spread, standing.spread));
    standing.rank = is_shared ? first->rank : place;
    if (!is_shared) first = &standing;
  }
}

}  // namespace bombard::judge
