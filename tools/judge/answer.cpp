#include "tools/judge/answer.hpp"

#include <fmt/format.h>
#include <strings.h>

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

/// The pairs of a `Result:` line or, at the first word that does not belong to one, what is wrong
/// with it.
void parse_maxima(std::istringstream line, std::size_t storms, Answer& answer) {
  std::size_t words = 0;
  for (std::string word; line >> word; ++words) {
    const auto position = printed_number<std::int64_t>(word);
    const auto value = printed_number<double>(word);
    const bool is_position = words % 2 == 0;
    if (is_position ? !position : !value) {
      // With its namespace: for a string, the compiler may also know std::quoted.
      answer.trouble =
          fmt::format("in its Result: line {} {} is not {}", is_position ? "position" : "maximum",
                      bombard::quoted(word), is_position ? "an integer" : "a number");
      return;
    }
    if (is_position) {
      answer.maxima.push_back({*position, 0});
    } else {
      answer.maxima.back().value = *value;
    }
  }
  answer.is_of_other_storms = words != 2 * storms;
  if (answer.is_of_other_storms) {
    answer.trouble =
        fmt::format("its Result: line has {}; a position and a maximum for each of {} are {}",
                    plural(static_cast<std::int64_t>(words), "number"),
                    plural(static_cast<std::int64_t>(storms), "storm"), 2 * storms);
  }
}

}  // namespace

std::vector<Maximum> printed(const std::vector<Maximum>& maxima) {
  return parse_answer(result_line(maxima), maxima.size()).maxima;
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
  Answer answer;
  std::size_t results = 0;
  std::string last_result, not_the_result;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    line.erase(0, line.find_first_not_of(" \t\r\v\f"));
    if (line.starts_with(result)) {
      ++results;
      last_result = line.substr(result.size());
    } else if (line.starts_with(time)) {
      std::string word;
      std::istringstream(line.substr(time.size())) >> word;
      const auto seconds = printed_number<double>(word);
      if (seconds || !answer.seconds) answer.time = word;
      if (seconds) answer.seconds = seconds;
    } else if (resembles(line, result)) {
      not_the_result = line;
    } else if (resembles(line, time)) {
      answer.not_the_time = line;
    }
  }
  if (results == 0) {
    answer.trouble = "it prints no Result: line";
    if (!not_the_result.empty()) {
      answer.trouble +=
          fmt::format("; {} looks like the answer but is not", bombard::quoted(not_the_result));
    }
  } else if (results > 1) {
    answer.trouble =
        fmt::format("it prints {} Result: lines; one process alone must print one", results);
  } else {
    parse_maxima(std::istringstream(last_result), storms, answer);
  }
  if (!answer.trouble.empty()) answer.maxima.clear();
  if (answer.time) answer.not_the_time.clear();
  return answer;
}

}  // namespace bombard::judge
