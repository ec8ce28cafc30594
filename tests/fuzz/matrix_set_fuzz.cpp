// Sets of 3x3 matrices as text: inputs/matrix_set.hpp in sections of a few bytes. The first byte of
// an input is the sections' size.

#include <string>
#include <vector>

#include "inputs/matrix_set.hpp"
#include "tests/fuzz/plain_tokens.hpp"
#include "tests/fuzz/target.hpp"

namespace bombard::fuzz::matrix_set_fuzz {
namespace {

/// All elements.
using Elements = std::vector<std::int32_t>;

/// The text behind the count; it begins with the rest of line `count_line`, the line of the count.
Verdict<Elements> matrices_of(std::string_view body, std::int64_t count, std::int64_t count_line) {
  Elements elements;
  std::int64_t lines = 0;
  for (const Token& line : lines_of(body, count_line)) {
    const std::vector<Token> tokens = tokens_of(line.text.substr(0, line.text.find('#')));
    if (tokens.empty()) continue;
    if (line.line == count_line) return {{}, {count_line}};
    if (lines++ % 4 == 0) {
      const bool is_mark = line.text.starts_with("***") && tokens_of(line.text.substr(3)).empty();
      if (!is_mark) return {{}, {line.line}};
      continue;
    }
    if (tokens.size() != 3) return {{}, {line.line}};
    for (const Token& token : tokens) {
      const auto element = integer_of_32_bits(token.text);
      if (!element) return {{}, {line.line}};
      elements.push_back(*element);
    }
  }
  if (lines % 4 != 0) return {{}, {last_line(body) + count_line - 1}};
  if (count == 0 || lines / 4 != count) return {{}, {count_line}};
  return {elements};
}

Verdict<Elements> oracle(std::string_view text) {
  const std::vector<Token> tokens = tokens_of(without_mark(text));
  if (tokens.empty()) return {{}, {last_line(text)}};
  const auto [token, line] = tokens[0];
  const auto count = integer_within(token, 0, std::int64_t{1} << 60);
  if (!count) return {{}, {line}};
  const std::size_t begin = static_cast<std::size_t>(token.data() + token.size() - text.data());
  return matrices_of(text.substr(begin), *count, line);
}

void check(std::string_view input) {
  if (input.empty()) return;
  const std::string_view text = input.substr(1);
  if (text.starts_with("\x93NUMPY")) return;
  const std::size_t section_size = 1 + static_cast<unsigned char>(input[0]) % 64;
  const Verdict<Elements> expected = oracle(text);
  Elements found;
  const auto matrices = read_as(expected, [&] {
    const auto take = [&](auto some) { found.insert(found.end(), some.begin(), some.end()); };
    return MatrixSet(MappedFile(name, text), section_size).read<std::int32_t>(1, take);
  });
  if (!matrices) return;
  expect(found == expected.value, "the matrices are handed on, in order by one thread");
  expect(*matrices == std::ssize(found) / 9, "all matrices are counted");
}

const Registered target{Target{"matrix_set", check}};

}  // namespace
}  // namespace bombard::fuzz::matrix_set_fuzz
