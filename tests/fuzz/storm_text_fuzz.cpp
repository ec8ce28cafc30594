// A storm's text: inputs/storms/storm_text.hpp in pieces of a few bytes, from memory and from a
// file, and inputs/storms/storm_lines.hpp in sections of a few bytes. The first two bytes of an
// input are the sizes.

#include <omp.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "inputs/storms/storm_lines.hpp"
#include "inputs/storms/storm_text.hpp"
#include "tests/fuzz/expectation.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/plain_tokens.hpp"

namespace bombard::fuzz {
namespace {

using Impacts = std::vector<Impact>;

/// The impacts, or the line of the error.
struct Outcome {
  std::optional<Impacts> impacts;
  std::int64_t line = 0;
  bool operator==(const Outcome&) const = default;
};

Outcome oracle(std::string_view text, std::size_t piece_size) {
  const std::string_view plain = without_mark(text);
  const std::vector<Token> tokens = tokens_of(plain);
  if (tokens.empty()) return {{}, 1 + std::count(plain.begin(), plain.end(), '\n')};

  Impacts impacts;
  std::int64_t count = 0;
  std::int64_t position = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto& [token, line] = tokens[i];
    const bool mark_before = i == 0 && token.data() == plain.data();
    const std::size_t length = token.size() + (mark_before ? text.size() - plain.size() : 0);
    if (length >= piece_size) return {{}, line};
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

template <class Parse>
Outcome outcome_of(const std::string& file, const Parse& parse) {
  try {
    return {parse().impacts, 0};
  } catch (const InputError& error) {
    return {{}, line_of(error, file)};
  }
}

std::string written_plainly(const Impacts& impacts) {
  std::string text = std::to_string(impacts.size()) + "\n";
  for (const Impact& impact : impacts) {
    text += std::to_string(impact.position) + " " + std::to_string(impact.energy) + "\n";
  }
  return text;
}

/// Whether the quick reader is for these: it reads at most 14 digits, and a storm of nothing is not
/// its business.
bool for_the_quick_reader(const Impacts& impacts) {
  for (const Impact& impact : impacts) {
    if (impact.position <= -100000000000000 || impact.position >= 100000000000000) return false;
  }
  return !impacts.empty();
}

void through_files(std::string_view text, std::size_t piece_size, const Outcome& expected) {
  static const MemoryFile memory;
  const Outcome from_file = outcome_of(memory.path(), [&] {
    InputFile file(memory.holding(text));
    char begin[3];
    const std::size_t begun = file.read(begin);
    return read_storm_text(file, {begin, begun}, piece_size);
  });
  expect(from_file == expected, "a file gives what its text gives");
  if (expected.impacts) {
    write_storm({name, *expected.impacts}, memory.emptied());
    const std::string written = memory.content();
    expect(written == written_plainly(*expected.impacts), "a storm is written plainly");
    expect(parse_storm(written, name).impacts == *expected.impacts, "what is written is read");
  }
}

void check(std::string_view text, std::size_t piece_size, std::size_t section_size) {
  const Outcome expected = oracle(text, piece_size);
  const Outcome found = outcome_of(name, [&] { return parse_storm(text, name, piece_size); });
  expect(found.impacts.has_value() == expected.impacts.has_value(), "storms are accepted, no more");
  expect(found == expected, "the impacts, or the line of the error, are those of the oracle");

  const Outcome unhurried = oracle(text, std::numeric_limits<std::size_t>::max());
  const auto quick = read_storm_lines(text, StormPart::whole(1), section_size);
  expect(!quick || quick->impacts == unhurried.impacts, "the quick reader reads nothing else");
  if (unhurried.impacts && for_the_quick_reader(*unhurried.impacts) &&
      text == written_plainly(*unhurried.impacts)) {
    expect(quick.has_value(), "the quick reader reads what is written plainly");
  }
}

}  // namespace
}  // namespace bombard::fuzz

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  omp_set_num_threads(1);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bombard::fuzz;
  if (size < 2) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t piece_size = 4 + data[0] % 64;
  check(text, piece_size, 1 + data[1] % 64);
  if (takes_the_long_way(text)) through_files(text, piece_size, oracle(text, piece_size));
  return 0;
}
