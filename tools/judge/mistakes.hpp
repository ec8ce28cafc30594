#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/judge/answer.hpp"
#include "tools/judge/deviations.hpp"

namespace bombard::judge {

/// Common mistakes, and the behaviour of a program with each. Mistakes of one name differ in the
/// parts of the layer, or in what the name leaves open.
struct Mistake {
  std::string name;   ///< a word, for programs that read the report
  std::string looks;  ///< completes "it looks like this: ..."
  std::set<Deviation> deviations;
  int parts = 1;  ///< of the layer

  /// Whether it changes roundings alone.
  bool is_of_arithmetic() const {
    return deviations.contains(Deviation::root_in_double) ||
           deviations.contains(Deviation::all_in_double) ||
           deviations.contains(Deviation::storm_summed_apart);
  }
};

/// Each mistake by itself.
const std::vector<Mistake>& mistakes();

/// The names of several mistakes, each once: "no_relaxation", or "parts_with_ends_2_4" where the
/// layer may be in 2 or in 4 parts.
std::vector<std::string> names_of(const std::vector<const Mistake*>& mistakes);
/// The descriptions of these mistakes, each once.
std::vector<std::string> looks_of(const std::vector<const Mistake*>& mistakes);

/// The answers that mistakes give, computed when they are first asked for.
class MistakenAnswers {
 public:
  /// Mistakes are computed on cases of up to this number of interactions: enough to tell them
  /// apart, and all of them together take some seconds at most.
  static constexpr std::int64_t most_interactions = 1'000'000;
  static bool compares(const Case& tried);

  /// The mistakes that give these maxima in this case, which must stay where it is, but for errors
  /// of up to `allowed` after each storm; without it, just these digits. None for a case that is
  /// too large.
  std::vector<const Mistake*> that_give(const Case& tried, const std::vector<Maximum>& maxima,
                                        const std::vector<double>& allowed = {});

 private:
  const std::vector<Maximum>& answer(const Case& tried, const Mistake& mistake);

  std::map<std::pair<const Case*, const Mistake*>, std::vector<Maximum>> answers_;
};

}  // namespace bombard::judge
