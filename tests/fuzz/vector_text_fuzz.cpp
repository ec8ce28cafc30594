// Vectors as text: inputs/array_file.hpp, in the type that the text has and as float and double.

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "inputs/array_file.hpp"
#include "inputs/matrix_market.hpp"
#include "tests/fuzz/plain_number.hpp"
#include "tests/fuzz/plain_tokens.hpp"
#include "tests/fuzz/target.hpp"

namespace bombard::fuzz::vector_text_fuzz {
namespace {

/// The elements as T; integers that a double does not hold are errors.
template <class T>
Verdict<std::vector<T>> oracle(const std::vector<Token>& tokens) {
  std::vector<T> elements;
  for (const auto& [text, line] : tokens) {
    const auto number = number_of<T>(text);
    if (!number || (integer_of(text) && !is_exact(text))) return {{}, {line}};
    elements.push_back(*number);
  }
  return {elements};
}

template <class T>
void check_as(const MappedFile& file, const std::vector<Token>& tokens) {
  const auto expected = oracle<T>(tokens);
  const auto found = read_as(expected, [&] { return read_vector_as<T>(file); });
  expect(!found || all_same<T>(*found, expected.value), "the elements are the text's");
}

/// The elements are also written, in one column or more, and read again.
void check_in_own_type(const MappedFile& file, const std::vector<Token>& tokens) {
  const bool integers = std::ranges::all_of(
      tokens, [](const Token& token) { return integer_of_32_bits(token.text).has_value(); });
  auto expected = oracle<double>(tokens);
  if (integers) {
    for (double& value : expected.value) value += 0.0;  // -0 is an integer without a sign
  }
  const auto vector = read_as(expected, [&] { return read_vector(file); });
  if (!vector) return;
  expect(std::holds_alternative<std::vector<std::int32_t>>(*vector) == integers,
         "integers are read as such");
  std::visit(
      [&](const auto& found) {
        expect(all_same<double>({found.begin(), found.end()}, expected.value),
               "the elements are the text's, in their own type");
        const std::string text = text_of(found, integers ? 3 : 1);
        expect(tokens_of(text).size() == found.size(), "one token is written for each element");
        expect(all_same(read_vector_as<double>(MappedFile(name, text)), expected.value),
               "each element is given back by its digits");
      },
      *vector);
}

void check(std::string_view text) {
  const MappedFile file(name, text);
  if (text.starts_with("\x93NUMPY") || is_matrix_market(file)) return;
  const std::vector<Token> tokens = tokens_of(without_mark(text));
  check_in_own_type(file, tokens);
  check_as<float>(file, tokens);
  check_as<double>(file, tokens);
}

const Registered target{Target{"vector_text", check}};

}  // namespace
}  // namespace bombard::fuzz::vector_text_fuzz
