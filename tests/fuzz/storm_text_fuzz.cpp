// A storm's text: inputs/storms/storm_text.hpp, its lines in sections of a few bytes. The first
// byte of an input is the sections' size.

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "inputs/storms/storm_text.hpp"
#include "tests/fuzz/plain_tokens.hpp"
#include "tests/fuzz/target.hpp"

namespace bombard::fuzz {
namespace {

using Impacts = std::vector<Impact>;

/// The impacts, or the line of the error.
struct Outcome {
  std::optional<Impacts> impacts;
  std::int64_t line = 0;
  bool operator==(const Outcome&) const = default;
};

Outcome oracle(std::string_view text) {
  const std::string_view plain = without_mark(text);
  const std::vector<Token> tokens = tokens_of(plain);
  if (tokens.empty()) return {{}, last_line(plain)};

  Impacts impacts;
  std::int64_t count = 0;
  std::int64_t position = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto& [token, line] = tokens[i];
    if (i == 0) {
      // A count that the text does not hold takes no memory: the end of the text tells.
      const auto value = integer_of(token);
      if (!value || *value < 0) return {{}, line};
      constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
      count = *value > most ? most : static_cast<std::int64_t>(*value);
    } else if (static_cast<std::int64_t>(impacts.size()) == count) {
      return {{}, line};
    } else if (i % 2 == 1) {
      const std::int64_t farthest = std::int64_t{1} << 61;
      const auto value = integer_within(token, -farthest, farthest);
      if (!value) return {{}, line};
      position = *value;
    } else {
      const auto value = integer_within(token, -2147483648LL, 2147483647LL);
      if (!value) return {{}, line};
      impacts.push_back({position, static_cast<std::int32_t>(*value)});
    }
  }
  const bool whole = tokens.size() == 1 + 2 * static_cast<std::size_t>(count);
  if (!whole) return {{}, tokens.back().line};
  return {impacts, 0};
}

std::string written_plainly(const Impacts& impacts) {
  std::string text = std::to_string(impacts.size()) + "\n";
  for (const Impact& impact : impacts) {
    text += std::to_string(impact.position) + " " + std::to_string(impact.energy) + "\n";
  }
  return text;
}

void check(std::string_view input) {
  if (input.empty()) return;
  const std::string_view text = input.substr(1);
  const Outcome expected = oracle(text);
  Outcome found;
  try {
    found.impacts = parse_storm(text, name).impacts;
  } catch (const InputError& error) {
    found.line = line_of(error);
  }
  expect(found.impacts.has_value() == expected.impacts.has_value(), "storms are accepted, no more");
  expect(found == expected, "the impacts, or the line of the error, are those of the oracle");

  const std::size_t section_size = 1 + static_cast<unsigned char>(input[0]) % 64;
  const std::size_t first_line = std::min(text.find('\n'), text.size());
  const auto count = integer_within(text.substr(0, first_line), 0, 1000);
  if (!count || first_line == text.size()) return;
  const auto quick = read_storm_lines(text.substr(first_line + 1), ' ', *count, 1, section_size);
  expect(!quick || *quick == expected.impacts, "the quick reader reads nothing else");
  if (count > 0 && expected.impacts && text == written_plainly(*expected.impacts)) {
    expect(quick.has_value(), "the quick reader reads what is written plainly");
  }
}

const Registered target{Target{"storm_text", check}};

}  // namespace
}  // namespace bombard::fuzz
