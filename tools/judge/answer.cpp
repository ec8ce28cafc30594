#include "tools/judge/answer.hpp"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "inputs/token.hpp"
#include "tools/cli/reports/report.hpp"

namespace bombard::judge {

namespace {

/// Whether a line begins with the letters of `word`, in upper or lower case, like "results 42" with
/// "Result:".
bool resembles(const std::string& line, std::string_view word) {
  return ::strncasecmp(line.c_str(), word.data(), word.size() - 1) == 0;
}

/// A number as printf may write it: with a plus sign, too.
template <class Number>
std::optional<Number> printed_number(std::string_view word) {
  const bool has_plus = word.starts_with('+') && !word.starts_with("+-");
  return number_of<Number>(word.substr(has_plus ? 1 : 0));
}

/// Adds the pairs of a line. Returns what is wrong with the first word that does not belong there;
/// a position may be the last word.
std::string parse_pairs(const std::string& text, std::vector<Maximum>& maxima, std::size_t& words) {
  std::istringstream line(text);
  words = 0;
  for (std::string word; line >> word; ++words) {
    const bool is_position = words % 2 == 0;
    const auto position = printed_number<std::int64_t>(word);
    const auto value = printed_number<double>(word);
    if (is_position && position) {
      maxima.push_back({*position, 0});
    } else if (!is_position && value) {
      maxima.back().value = *value;
    } else {
      return fmt::format("in its Result: line {} {} is not {}",
                         is_position ? "position" : "maximum", in_quotes(word),
                         is_position ? "an integer" : "a number");
    }
  }
  return {};
}

/// What keeps the `Result:` lines from being the answer; empty if there is one with all maxima.
std::string trouble_of_results(const std::vector<std::string>& results, std::size_t storms,
                               Answer& answer) {
  if (results.empty()) return "it prints no Result: line";
  if (results.size() > 1) {
    return fmt::format("it prints {} Result: lines; one process alone must print one",
                       results.size());
  }
  std::size_t words = 0;
  const std::string trouble = parse_pairs(results.front(), answer.maxima, words);
  answer.is_of_other_storms = trouble.empty() && words != 2 * storms;
  if (!answer.is_of_other_storms) return trouble;
  return fmt::format("its Result: line has {}; a position and a maximum for each of {} are {}",
                     plural(static_cast<std::int64_t>(words), "number"),
                     plural(static_cast<std::int64_t>(storms), "storm"), 2 * storms);
}

/// What several lines say that hold a pair each, or more; empty if they are not the answer.
std::string trouble_of_lines(const std::vector<std::string>& lines, std::size_t storms) {
  std::vector<Maximum> maxima;
  std::size_t of_pairs = 0;
  for (const std::string& line : lines) {
    std::vector<Maximum> pairs;
    std::size_t words = 0;
    if (!parse_pairs(line, pairs, words).empty() || words % 2 != 0 || words == 0) continue;
    maxima.insert(maxima.end(), pairs.begin(), pairs.end());
    ++of_pairs;
  }
  if (of_pairs < 2 || maxima.size() != storms) return {};
  return fmt::format("its maxima are on {} lines of their own; one line Result: must have all",
                     of_pairs);
}

/// Whether this is the number with some number of significant digits.
bool is_with_digits(double printed, double number, int least, int most) {
  for (int digits = least; digits <= most; ++digits) {
    if (printed == number_of<double>(fmt::format("{:.{}g}", number, digits))) return true;
  }
  return false;
}

constexpr int digits_of_float = 9, digits_of_double = 17;

}  // namespace

bool says(double printed, double number) {
  if (printed == number) return true;  // infinite ones, too
  if (!(std::abs(printed - number) <= 1e-6 * (1 + std::abs(number)))) return false;
  if (printed == number_of<double>(fmt::format("{:f}", number))) return true;
  return static_cast<float>(printed) == static_cast<float>(number) &&
         is_with_digits(printed, number, 1, digits_of_double);
}

bool says(const Maximum& printed, const Maximum& maximum) {
  return printed.position == maximum.position && says(printed.value, maximum.value);
}

bool says(const std::vector<Maximum>& printed, const std::vector<Maximum>& maxima) {
  return std::ranges::equal(printed, maxima, [](const Maximum& is, const Maximum& should_be) {
    return says(is, should_be);
  });
}

bool says_less(double printed, double number) {
  constexpr int fewest = 3;  // with less, it could be any number
  return is_with_digits(printed, number, fewest, digits_of_float - 1);
}

std::string result_line(const std::vector<Maximum>& maxima) {
  std::string line = "Result:";
  for (const Maximum& maximum : maxima) {
    line += fmt::format(" {} {:f}", maximum.position, maximum.value);
  }
  return line + '\n';
}

Answer parse_answer(const std::string& output, std::size_t storms) {
  constexpr std::string_view result = "Result:", time = "Time:";
  // A program may print millions of lines, and of any length: what is kept of them is little.
  constexpr std::size_t most_lines = 100'000, longest = 100;
  Answer answer;
  std::vector<std::string> results, others;  // the others may hold a part of the answer
  std::string not_the_result;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    line.erase(0, line.find_first_not_of(" \t\r\v\f"));
    if (line.starts_with(result)) {
      results.push_back(line.substr(result.size()));
    } else if (line.starts_with(time)) {
      std::string word;
      std::istringstream(line.substr(time.size())) >> word;
      const auto seconds = printed_number<double>(word);
      if (seconds || !answer.seconds) answer.time = word.substr(0, longest);
      if (seconds) answer.seconds = seconds;
    } else if (resembles(line, result)) {
      not_the_result = line;
    } else if (resembles(line, time)) {
      answer.not_the_time = line.substr(0, longest);
    } else if (others.size() < most_lines) {
      others.push_back(line);
    }
  }
  if (answer.time) answer.not_the_time.clear();
  answer.trouble = trouble_of_results(results, storms, answer);
  if (answer.trouble.empty()) return answer;
  answer.maxima.clear();
  if (results.empty() && !not_the_result.empty()) {
    answer.trouble +=
        fmt::format("; {} looks like the answer but is not", in_quotes(not_the_result));
  }
  if (results.size() < most_lines) others.insert(others.end(), results.begin(), results.end());
  const std::string of_lines = trouble_of_lines(others, storms);
  if (of_lines.empty()) return answer;
  answer.trouble = of_lines;
  answer.is_of_other_storms = false;
  return answer;
}

}  // namespace bombard::judge
