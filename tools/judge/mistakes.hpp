#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tools/judge/answer.hpp"
#include "tools/judge/sequential_rule.hpp"

namespace bombard::judge {

/// What people get wrong, and what a program does that does.
struct Mistake {
  std::string name;   ///< a word, for programs that read the report
  std::string looks;  ///< completes "it looks like this: ..."
  Deviation deviation;
};

/// All that are known.
const std::vector<Mistake>& mistakes();

/// The answers that mistakes give, computed when they are first asked for.
class MistakenAnswers {
 public:
  /// Mistakes are computed on cases of up to so many interactions: enough to tell them apart, and
  /// all of them together take less than a second.
  static constexpr std::int64_t most_interactions = 1'000'000;
  static bool compares(const Case& tried);

  /// The mistakes that give just these digits in this case, which must stay where it is; none for a
  /// case that is too large.
  std::vector<const Mistake*> that_give(const Case& tried,
                                        const std::vector<PrintedMaximum>& digits);

 private:
  std::map<std::pair<const Case*, const Mistake*>, std::vector<PrintedMaximum>> answers_;
};

}  // namespace bombard::judge
