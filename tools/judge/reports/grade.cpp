#include "tools/judge/reports/grade.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "bombard/errors.hpp"
#include "inputs/token.hpp"

namespace bombard::judge {

Points parse_points(const std::string& text, double full_speedup) {
  Points points{.full_speedup = full_speedup};
  double* const members[] = {&points.right, &points.speed, &points.full_speedup};
  std::istringstream parts(text);
  std::size_t count = 0;
  bool valid = true;
  for (std::string part; std::getline(parts, part, ','); ++count) {
    const std::optional<double> value = number_of<double>(part);
    valid = valid && count < std::size(members) && value && std::isfinite(*value) && *value >= 0;
    if (valid) *members[count] = *value;
  }
  if (valid && count > 0 && points.right + points.speed > 0 && points.full_speedup > 1)
    return points;
  throw InputError(fmt::format(
      "--points \"{}\" is not RIGHT[,SPEED[,SPEEDUP]], as 70,30,4: points from 0 up for right "
      "cases and for speed, and the speedup above 1 that earns all of the latter",
      text));
}

double Grade::earned() const {
  double sum = speed_points;
  for (const GradedCase& graded : cases) sum += graded.points;
  return sum;
}

Grade grade(std::span<const ProgramJudgement> judgements, const Grading& grading) {
  const Points& points = grading.points;
  Grade all{.programs = judgements, .points = points};
  bool all_pass = true;
  for (const ProgramJudgement& program : judgements) {
    const bool has_group = program.verdict(CaseGroup::assignment).has_value();
    const auto counts = [&](const CaseJudgement& judgement) {
      return !has_group || judgement.prepared->tried.group == CaseGroup::assignment;
    };
    const auto counted = static_cast<double>(std::ranges::count_if(program.cases, counts));
    all_pass = all_pass && passes(program.verdict(), grading.strict);
    for (const CaseJudgement& judgement : program.cases) {
      const double most =
          counts(judgement) ? points.right / static_cast<double>(judgements.size()) / counted : 0;
      const bool passed = passes(judgement.verdict, grading.strict);
      all.cases.push_back({&program, &judgement, passed, passed ? most : 0, most});
    }
  }
  all.speed = best_speed(judgements);
  if (all_pass && all.speed) {
    const double share = (all.speed->speedup - 1) / (points.full_speedup - 1);
    all.speed_points = points.speed * std::clamp(share, 0., 1.);
  }
  return all;
}

}  // namespace bombard::judge
