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

namespace bombard::fuzz {
namespace {

/// The elements, or the line of the error.
template <class T>
struct Elements {
  std::vector<T> values;
  std::int64_t line = 0;
};

/// As T; integers that a double does not hold are errors.
template <class T>
Elements<T> oracle(const std::vector<Token>& tokens) {
  Elements<T> elements;
  for (const auto& [text, line] : tokens) {
    const auto number = number_of<T>(text);
    if (!number || (integer_of(text) && !is_exact(text))) return {{}, line};
    elements.values.push_back(*number);
  }
  return elements;
}

template <class T>
void compare(const std::vector<T>& found, const Elements<T>& expected) {
  expect(expected.line == 0, "vectors are accepted, no more");
  expect(found.size() == expected.values.size(), "all elements are there");
  for (std::size_t i = 0; i < found.size(); ++i) {
    expect(same(found[i], expected.values[i]), "an element is the text's, rounded once");
  }
}

/// The elements, written in one column or more, are read as the same.
template <class T>
void round_trip(const std::vector<T>& elements, std::int64_t columns) {
  const std::string text = text_of(elements, columns);
  const Vector again = read_vector(MappedFile(name, text));
  expect(tokens_of(text).size() == elements.size(), "one token is written for each element");
  std::visit(
      [&](const auto& values) {
        expect(values.size() == elements.size(), "what is written is read");
        for (std::size_t i = 0; i < elements.size(); ++i) {
          expect(elements[i] != elements[i] || elements[i] == static_cast<T>(values[i]),
                 "each element is given back by its digits");
        }
      },
      again);
}

template <class T>
void check_as(const MappedFile& file, const std::vector<Token>& tokens) {
  const Elements<T> expected = oracle<T>(tokens);
  try {
    compare(read_vector_as<T>(file), expected);
  } catch (const InputError& error) {
    expect(expected.line != 0, "a vector is accepted");
    expect(line_of(error) == expected.line, "an error names its line");
  }
}

void check_in_own_type(const MappedFile& file, const std::vector<Token>& tokens) {
  const bool integers = std::ranges::all_of(tokens, [](const Token& token) {
    return integer_within(token.text, -2147483648LL, 2147483647LL).has_value();
  });
  Elements<double> expected = oracle<double>(tokens);
  try {
    const Vector vector = read_vector(file);
    expect(std::holds_alternative<std::vector<std::int32_t>>(vector) == integers,
           "integers are read as such");
    if (integers) {
      for (double& value : expected.values) value += 0.0;  // -0 is an integer without a sign
    }
    std::visit(
        [&](const auto& found) {
          compare<double>({found.begin(), found.end()}, expected);
          round_trip(found, integers ? 3 : 1);
        },
        vector);
  } catch (const InputError& error) {
    expect(!integers && expected.line != 0, "a vector is accepted");
    expect(line_of(error) == expected.line, "an error names its line");
  }
}

void check(std::string_view text) {
  if (text.starts_with("\x93NUMPY") || is_matrix_market(MappedFile(name, text))) return;
  const MappedFile file(name, text);
  const std::vector<Token> tokens = tokens_of(without_mark(text));
  check_in_own_type(file, tokens);
  check_as<float>(file, tokens);
  check_as<double>(file, tokens);
}

const Registered target{Target{"vector_text", check}};

}  // namespace
}  // namespace bombard::fuzz
