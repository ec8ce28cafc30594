#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/judge/answer.hpp"
#include "tools/judge/right_answer.hpp"

namespace bombard::judge {

/// How far the maximum after each storm may be from the right one, as a number.
struct AllowedErrors {
  std::vector<double> roundings;  ///< what another order of the sums explains (docs/judging.md)
  std::vector<double> all;        ///< with the tolerances, where there are any
};

/// Without a tolerance roundings are allowed; with one, or both of them, the larger of `relative`
/// times the right maximum and `absolute`.
AllowedErrors allowed_errors(const Case& tried, const RightAnswer& right,
                             std::optional<double> relative = {},
                             std::optional<double> absolute = {});

/// How a program's maxima differ from the right ones.
struct Difference {
  std::string text = {};  ///< of the first storm whose error is not allowed, else of the first one
                          ///< with an error; empty when all digits are right
  bool is_allowed = true;
  double distance = 0;  ///< the largest relative error of a maximum; infinite beside a 0
};

/// A maximum may be off by what is allowed. Its position may be another one where the rule's layer
/// has a peak but for roundings, and is as near to the maximum.
Difference difference_of(const std::vector<PrintedMaximum>& maxima, const Case& tried,
                         const RightAnswer& right, const AllowedErrors& allowed);

/// Where two runs of a program differ first by more than is allowed, and how far each is from the
/// right maximum; empty when they do not.
std::string difference_between(const std::vector<PrintedMaximum>& one,
                               const std::vector<PrintedMaximum>& other, const RightAnswer& right,
                               const AllowedErrors& allowed);

}  // namespace bombard::judge
