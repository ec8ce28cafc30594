#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/judge/prepared_case.hpp"
#include "tools/judge/six_steps.hpp"

namespace bombard::judge {

/// A common mistake. Those of one name differ in what it leaves open.
struct Mistake {
  std::string_view name;   ///< a word, for programs that read the report
  std::string_view looks;  ///< completes "it looks like this: ..."
  SixSteps replaced;       ///< the steps that are not the rule's
};

std::span<const Mistake> mistakes();

/// The names of several mistakes, or how they look, each once.
std::vector<std::string> texts_of(const std::vector<const Mistake*>& mistakes,
                                  std::string_view Mistake::*text);

/// Whether mistakes are computed for a case: such cases are enough to tell them apart.
bool shows_mistakes(const Case& tried);

/// What programs with each of the mistakes print, in the order of mistakes().
std::vector<std::vector<Maximum>> answers_of_mistakes(const Case& tried);

/// The mistakes that give these maxima in a case, apart from errors of up to `allowed` after each
/// storm; without `allowed`, exactly these digits. None where such errors alone explain them, nor
/// for a case that is too large to show mistakes.
std::vector<const Mistake*> mistakes_that_give(const std::vector<Maximum>& maxima,
                                               const PreparedCase& tried,
                                               const std::vector<double>& allowed = {});

}  // namespace bombard::judge
