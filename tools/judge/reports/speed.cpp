#include "tools/judge/reports/speed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bombard::judge {

bool shows_speed(const CaseJudgement& judgement) {
  constexpr double least_seconds = 0.01;
  return judgement.prepared->sequential.seconds >= least_seconds;
}

std::optional<Speed> speed_of(const ProgramJudgement& judgement) {
  const bool all = std::ranges::none_of(judgement.cases, shows_speed);
  double sequential = 0;
  Speed speed;
  for (const CaseJudgement& of_case : judgement.cases) {
    if (!all && !shows_speed(of_case)) continue;
    const std::optional<double> seconds = of_case.time ? of_case.time : of_case.whole_seconds;
    if (of_case.verdict > Verdict::rounding || !seconds) return {};
    sequential += of_case.prepared->sequential.seconds;
    speed.seconds += *seconds;
  }
  if (speed.seconds <= 0) return {};
  speed.speedup = sequential / speed.seconds;
  return speed;
}

std::vector<std::span<const ProgramJudgement>> by_program(
    std::span<const ProgramJudgement> judgements) {
  std::vector<std::span<const ProgramJudgement>> programs;
  for (std::size_t begin = 0; begin < judgements.size();) {
    std::size_t end = begin + 1;
    while (end < judgements.size() && judgements[end].program == judgements[begin].program) ++end;
    programs.push_back(judgements.subspan(begin, end - begin));
    begin = end;
  }
  return programs;
}

std::optional<Speed> best_speed(std::span<const ProgramJudgement> judgements) {
  std::optional<Speed> best;
  for (const ProgramJudgement& judgement : judgements) {
    const std::optional<Speed> speed = speed_of(judgement);
    if (speed && (!best || speed->seconds < best->seconds)) best = speed;
  }
  return best;
}

std::string scaling_table(std::span<const ProgramJudgement> judgements) {
  constexpr double widest_bar = 40;
  const double marks_for_one =
      std::min(4.0, widest_bar / std::max(1.0, best_speed(judgements).value_or(Speed{}).speedup));
  std::string text = "threads      seconds  speedup  efficiency\n";
  for (const ProgramJudgement& judgement : judgements) {
    const int threads = judgement.threads.value_or(1);
    text += fmt::format("{:>7}  ", threads);
    if (const std::optional<Speed> speed = speed_of(judgement)) {
      text += fmt::format("{:>11.6f}  {:>7.2f}  {:>10.2f}  {:=<{}}\n", speed->seconds,
                          speed->speedup, speed->speedup / threads, "",
                          static_cast<int>(std::ceil(marks_for_one * speed->speedup)));
    } else {
      text += fmt::format("{:>11}  {:>7}  {:>10}\n", "-", "-", "-");
    }
  }
  return text;
}

}  // namespace bombard::judge
