#pragma once

#include <string_view>

namespace bombard::judge {

/// The verdict on a case, from the best to the worst.
enum class Verdict {
  right,      ///< all digits are those of the rule
  rounding,   ///< the positions are right, the maxima as near as another order of the sums explains
  wrong,      ///< other maxima, the same in each run
  race,       ///< its runs differ by more than another order of the sums explains
  crash,      ///< a signal ended it, or it exceeded a limit
  timeout,    ///< it did not end in time
  no_answer,  ///< it could not be started, or printed no maxima
};
/// "right", "rounding", "wrong", "race", "crash", "timeout" or "no_answer".
std::string_view word_for(Verdict verdict);

/// What is known about the runs of a program on a case.
struct Facts {
  Verdict of_runs = Verdict::right;    ///< of the worst run without maxima: crash or worse
  Verdict of_digits = Verdict::right;  ///< of the worst maxima by themselves: up to wrong
  bool differ = false;                 ///< not all runs have printed the same digits
  bool differ_by_more = false;         ///< not even up to roundings
  bool layer_is_right = true;   ///< each run prints what the rule's layer has at its positions
  bool has_few_digits = false;  ///< the right ones, with fewer digits than %f has
  bool of_a_mistake = false;    ///< the digits are those of a mistake, and of more than arithmetic
  bool with_tolerance = false;
  // ---- of all its cases ----
  bool has_roundings = true;  ///< in some case, values differ by roundings
  bool has_race = false;
};

/// The verdict that the facts lead to. Without side effects.
Verdict verdict(const Facts& facts);

}  // namespace bombard::judge
