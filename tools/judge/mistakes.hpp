#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/judge/deviations.hpp"
#include "tools/judge/prepared_case.hpp"

namespace bombard::judge {

/// A common mistake. Those with the same name differ in the parts of the layer, or in what the name
/// leaves open.
struct Mistake {
  std::string_view name, looks;  ///< DeviationRow
  std::vector<Deviation> deviations;
  int parts = 1;  ///< of the layer

  /// Whether it changes only roundings.
  bool is_of_arithmetic() const {
    const Deviation first = deviations.front();
    return first == "root_in_double" || first == "all_in_double" || first == "storm_summed_apart";
  }
};

/// Each mistake by itself.
const std::vector<Mistake>& mistakes();

/// The names of several mistakes, each once: "no_relaxation", or "parts_with_ends_2_4" if the layer
/// can be in 2 or in 4 parts.
std::vector<std::string> names_of(const std::vector<const Mistake*>& mistakes);
/// The descriptions of these mistakes, each once.
std::vector<std::string> looks_of(const std::vector<const Mistake*>& mistakes);

/// Whether mistakes are computed for a case: such cases are enough to tell them apart.
bool shows_mistakes(const Case& tried);

/// What programs with each of the mistakes print, in the order of mistakes().
std::vector<std::vector<Maximum>> answers_of_mistakes(const Case& tried);

/// The mistakes that give these maxima in a case, apart from errors of up to `allowed` after each
/// storm; without `allowed`, exactly these digits. None for a case that is too large to show
/// mistakes.
std::vector<const Mistake*> mistakes_that_give(const std::vector<Maximum>& maxima,
                                               const PreparedCase& tried,
                                               const std::vector<double>& allowed = {});

}  // namespace bombard::judge
