#include "tools/judge/verdict.hpp"

#include <cstddef>

namespace bombard::judge {

std::string_view word_for(Verdict verdict) {
  constexpr std::string_view words[] = {"right", "rounding", "wrong",    "race",
                                        "crash", "timeout",  "no_answer"};
  return words[static_cast<std::size_t>(verdict)];
}

Verdict verdict(const Facts& facts) {
  if (facts.of_runs != Verdict::right) return facts.of_runs;
  const bool is_rounding = facts.of_digits == Verdict::rounding;
  // Runs with roundings may be further from each other than one of them from the rule.
  if (facts.differ_by_more && (!is_rounding || facts.layer_is_right)) return Verdict::race;
  if (!is_rounding || facts.with_tolerance) return facts.of_digits;
  // Roundings can tell equal maxima apart. Where all values of a program are right, it takes one of
  // them for another reason.
  if (!facts.has_roundings) return facts.differ ? Verdict::race : Verdict::wrong;
  // A race has the digits of a mistake by chance, and so have roundings of equal maxima.
  const bool is_by_chance = facts.differ || facts.has_race || facts.layer_is_right;
  return facts.of_a_mistake && !is_by_chance ? Verdict::wrong : Verdict::rounding;
}

}  // namespace bombard::judge
