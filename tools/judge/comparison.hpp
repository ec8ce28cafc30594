#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/judge/answer.hpp"
#include "tools/judge/right_answer.hpp"

namespace bombard::judge {

/// What differs first between a program's maxima and the right ones, by how much; empty when
/// nothing does. Without a tolerance the digits must be those of the rule. With one, a maximum may
/// be off by that part of the right one, and a position may be another one where the rule's layer
/// is as near to the maximum.
std::string first_difference(const Case& tried, const RightAnswer& right,
                             const std::vector<PrintedMaximum>& maxima,
                             std::optional<double> tolerance);

/// Whether all positions are right and the maxima nearly so: then roundings differ, no idea.
bool only_roundings_differ(const RightAnswer& right, const std::vector<PrintedMaximum>& maxima);

}  // namespace bombard::judge
