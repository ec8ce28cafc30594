#include "tools/judge/answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "inputs/token.hpp"
#include "tools/cli/reports/report.hpp"

namespace bombard::judge {

namespace {

constexpr std::string_view blanks = " \t\r\v\f";

/// Takes the next word off the front of a line; empty at its end.
std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(blanks));
  line.remove_prefix(word.size());
  return word;
}

/// The text behind a label at the beginning of a line.
std::optional<std::string_view> after(std::string_view label, std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
  if (!line.starts_with(label)) return {};
  return line.substr(label.size());
}

/// The pairs of a `Result:` line, or at the first word that belongs to none, what is wrong with it.
void parse_maxima(std::string_view line, std::size_t storms, Answer& answer) {
  constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();
  std::size_t words = 0;
  for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
    if (words++ % 2 == 0) {
      const NumberToken<std::int64_t> position = parse_integer(word, "position", lowest, highest);
      answer.maxima.push_back({position.value, 0});
      answer.trouble = position.problem;
    } else {
      const std::optional<double> value = number_of<double>(word);
      answer.maxima.back().value = value.value_or(0);
      if (!value) answer.trouble = fmt::format("maximum {} is not a number", quoted(word));
    }
    if (!answer.trouble.empty()) {
      answer.trouble = "in its Result: line " + answer.trouble;
      return;
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

std::vector<PrintedMaximum> printed(const std::vector<Maximum>& maxima) {
  std::vector<PrintedMaximum> digits;
  for (const Maximum& maximum : maxima) {
    digits.push_back({maximum.position, *number_of<double>(fmt::format("{:f}", maximum.value))});
  }
  return digits;
}

std::string result_line(const std::vector<Maximum>& maxima) {
  std::string line = "Result:";
  for (const Maximum& maximum : maxima) {
    line += fmt::format(" {} {:f}", maximum.position, maximum.value);
  }
  return line + '\n';
}

Answer parse_answer(std::string_view output, std::size_t storms) {
  Answer answer;
  std::size_t results = 0;
  std::string_view last_result;
  while (!output.empty()) {
    const std::string_view line = output.substr(0, output.find('\n'));
    output.remove_prefix(std::min(line.size() + 1, output.size()));
    if (const auto result = after("Result:", line)) {
      ++results;
      last_result = *result;
    } else if (auto time = after("Time:", line)) {
      if (const std::optional<double> seconds = number_of<double>(take_word(*time)))
        answer.seconds = seconds;
    }
  }
  if (results == 0) {
    answer.trouble = "it prints no Result: line";
  } else if (results > 1) {
    answer.trouble =
        fmt::format("it prints {} Result: lines; one process alone must print one", results);
  } else {
    parse_maxima(last_result, storms, answer);
  }
  if (!answer.trouble.empty()) answer.maxima.clear();
  return answer;
}

}  // namespace bombard::judge
