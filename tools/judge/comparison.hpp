#pragma once

#include <vector>

#include "tools/judge/judgement.hpp"

namespace bombard::judge {

/// How far roundings move the maximum after each storm, as far as another order of the sums
/// explains it (docs/judging.md).
std::vector<double> rounding_errors(const Case& tried, const std::vector<Maximum>& maxima);

/// Adds what a run's maxima show to the judgement on its case: by themselves, and beside those of
/// the first run. A maximum may be off by what is allowed. Its position may be a different one
/// where, apart from roundings, the rule's layer has a peak, and nowhere a higher one; but
/// roundings do not decide many storms in the same way.
void add_answer(const std::vector<Maximum>& maxima, const std::vector<Maximum>& first,
                const std::vector<double>& allowed, CaseJudgement& judgement);

}  // namespace bombard::judge
