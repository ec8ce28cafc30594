#pragma once

#include <string>
#include <vector>

#include "tools/judge/prepared_case.hpp"
#include "tools/judge/run.hpp"

namespace bombard::judge {

/// How far roundings move the maximum after each storm, as far as another order of the sums
/// explains it (docs/judging.md).
std::vector<double> rounding_errors(const Case& tried, const std::vector<Maximum>& maxima);

/// How far the maximum after each storm may be from the right one: by roundings, or by the
/// tolerance if there is one.
std::vector<double> allowed_errors(const PreparedCase& prepared, const Options& options);

/// How a program's maxima differ from the right ones.
struct Difference {
  Verdict verdict = Verdict::right;  ///< right, rounding, if errors are allowed, or wrong
  std::string text = {};             ///< of the first storm with this verdict; empty when right
  double distance = 0;  ///< the largest relative error of a maximum; infinite where 0 is right
  bool has_few_digits = false;  ///< so has the number in the text
  /// It takes a cell above the right maximum: its neighbour is as high, and roundings decide which.
  bool exceeds = false;
  /// Each maximum is what the rule's layer has at its position, even if not the largest, or 0 at 0:
  /// then the layer is right, and the search for the maximum is not.
  bool is_of_the_rule = true;
};

/// A maximum may be off by what is allowed. Its position may be a different one where, apart from
/// roundings, the rule's layer has a peak, and nowhere a higher one; but roundings do not decide
/// many storms in the same way.
Difference difference_of(const std::vector<Maximum>& maxima, const PreparedCase& prepared,
                         const std::vector<double>& allowed);

/// The first place where two runs of a program differ by more than is allowed, and how far each is
/// from the right maximum; empty if there is none.
std::string difference_between(const std::vector<Maximum>& one, const std::vector<Maximum>& other,
                               const PreparedCase& prepared, const std::vector<double>& allowed);

}  // namespace bombard::judge
