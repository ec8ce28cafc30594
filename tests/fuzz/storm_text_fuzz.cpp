// A storm's text: inputs/storms/storm_text.hpp, its lines in sections of a few bytes. The first
// byte of an input is the sections' size.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "inputs/storms/storm_text.hpp"
#include "tests/fuzz/plain_tokens.hpp"
#include "tests/fuzz/target.hpp"

namespace bombard::fuzz::storm_text_fuzz {
namespace {

using Impacts = std::vector<Impact>;

Verdict<Impacts> oracle(std::string_view text) {
  const std::vector<Token> tokens = tokens_of(without_mark(text));
  if (tokens.empty()) return {{}, {last_line(text)}};
  const auto count = integer_of(tokens[0].text);
  if (!count || *count < 0) return {{}, {tokens[0].line}};
  Impacts impacts;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    const auto& [token, line] = tokens[i];
    if (i > 2 * *count) return {{}, {line}};
    if (i % 2 == 1) {
      const auto position = position_of(token);
      if (!position) return {{}, {line}};
      impacts.push_back({*position, 0});
    } else {
      const auto energy = integer_of_32_bits(token);
      if (!energy) return {{}, {line}};
      impacts.back().energy = *energy;
    }
  }
  if (tokens.size() <= 2 * *count) return {{}, {tokens.back().line}};
  return {impacts};
}

std::string written_plainly(const Impacts& impacts) {
  std::string text = fmt::format("{}\n", impacts.size());
  for (const auto& [position, energy] : impacts) text += fmt::format("{} {}\n", position, energy);
  return text;
}

void check(std::string_view input) {
  if (input.empty()) return;
  const std::string_view text = input.substr(1);
  const Verdict<Impacts> expected = oracle(text);
  const auto found = read_as(expected, [&] { return parse_storm(text, name); });
  expect(!found || *found == expected.value, "the impacts are the text's");

  const std::size_t section_size = 1 + static_cast<unsigned char>(input[0]) % 64;
  const std::size_t first_line = std::min(text.find('\n'), text.size());
  const auto count = integer_within(text.substr(0, first_line), 0, 1000);
  if (!count || first_line == text.size()) return;
  const auto quick = read_storm_lines(text.substr(first_line + 1), ' ', *count, 1, section_size);
  expect(!quick || quick == found, "the quick reader reads nothing else");
  if (*count > 0 && found && text == written_plainly(*found)) {
    expect(quick.has_value(), "the quick reader reads what is written plainly");
  }
}

const Registered target{Target{"storm_text", check}};

}  // namespace
}  // namespace bombard::fuzz::storm_text_fuzz
