#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bombard/maximum.hpp"

namespace bombard::judge {

/// Whether a program has printed this number: with %f, or with other digits that tell a float from
/// all others, as %.9g does.
bool says(double printed, double number);
bool says(const Maximum& printed, const Maximum& maximum);
bool says(const std::vector<Maximum>& printed, const std::vector<Maximum>& maxima);

/// Whether it has printed fewer digits of it.
bool says_less(double printed, double number);

/// The line of the published program: "Result: 42 6261.730469 33 12216.692383".
std::string result_line(const std::vector<Maximum>& maxima);

/// What a program printed.
struct Answer {
  std::optional<double> seconds;    ///< of its last `Time:` line that holds a number
  std::optional<std::string> time;  ///< as it stands there, or in a line without a number
  std::vector<Maximum> maxima;      ///< of its `Result:` line
  std::string trouble;              ///< why there are no maxima; empty when there are
  std::string not_the_time = {};    ///< without a `Time:` line, one that looks like it
  bool is_of_other_storms = false;  ///< it has another number of pairs than there are storms
};

/// Looks for the lines `Time: SECONDS` and `Result: POSITION MAXIMUM ...` in the output of a
/// program that is not trusted: the first may be missing, the second must be there once, with a
/// pair for each of the storms. All other lines are ignored.
Answer parse_answer(const std::string& output, std::size_t storms);

}  // namespace bombard::judge
