#include "tools/judge/verdict.hpp"

#include <gtest/gtest.h>

namespace bombard::judge {
namespace {

TEST(VerdictOfFacts, IsOne) {
  using enum Verdict;
  const struct {
    Facts facts;
    Verdict verdict;
  } rows[] = {
      {{}, right},
      {{.of_digits = wrong}, wrong},
      {{.of_runs = crash, .of_digits = wrong}, crash},
      {{.of_runs = no_answer}, no_answer},
      {{.of_digits = wrong, .differ = true}, wrong},
      {{.of_digits = wrong, .differ = true, .differ_by_more = true}, race},
      {{.of_runs = timeout, .of_digits = wrong, .differ = true, .differ_by_more = true}, timeout},
      {{.of_digits = rounding}, rounding},
      {{.of_digits = rounding, .layer_is_right = false, .of_a_mistake = true}, wrong},
      // Roundings may have chosen among equal maxima as a mistake does.
      {{.of_digits = rounding, .of_a_mistake = true}, rounding},
      {{.of_digits = rounding, .differ = true, .layer_is_right = false, .of_a_mistake = true},
       rounding},
      {{.of_digits = rounding, .layer_is_right = false, .of_a_mistake = true, .has_race = true},
       rounding},
      {{.of_digits = rounding,
        .layer_is_right = false,
        .of_a_mistake = true,
        .with_tolerance = true},
       rounding},
      // Runs with roundings may be further apart than each is from the rule; unless both are of it.
      {{.of_digits = rounding, .differ = true, .differ_by_more = true, .layer_is_right = false},
       rounding},
      {{.of_digits = rounding, .differ = true, .differ_by_more = true}, race},
      // Another one of equal maxima, where nothing has been rounded.
      {{.of_digits = rounding, .has_roundings = false}, wrong},
      {{.of_digits = rounding, .differ = true, .has_roundings = false}, race},
      {{.of_digits = rounding, .with_tolerance = true, .has_roundings = false}, rounding}};
  for (const auto& [facts, expected] : rows) {
    EXPECT_EQ(word_for(verdict(facts)), word_for(expected)) << &facts - &rows[0].facts;
  }
}

}  // namespace
}  // namespace bombard::judge
