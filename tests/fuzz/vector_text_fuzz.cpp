// Vectors as text: inputs/array_file.hpp, in the type that the text has and as float and double.

#include <string>
#include <variant>
#include <vector>

#include "inputs/array_file.hpp"
#include "tests/fuzz/expectation.hpp"
#include "tests/fuzz/other_formats.hpp"
#include "tests/fuzz/plain_number.hpp"
#include "tests/fuzz/target.hpp"

namespace bombard::fuzz {
namespace {

/// The elements, or the line of the error.
template <class T>
struct Elements {
  std::vector<T> values;
  std::int64_t line = 0;
};

bool are_integers(const std::vector<Token>& tokens) {
  for (const Token& token : tokens) {
    if (!integer_within(token.text, -2147483648LL, 2147483647LL)) return false;
  }
  return true;
}

/// As T; where `exactly`, integers that T does not hold are errors.
template <class T>
Elements<T> oracle(const std::vector<Token>& tokens, bool exactly) {
  Elements<T> elements;
  for (const auto& [text, line] : tokens) {
    const auto number = number_of<T>(text);
    if (!number || (exactly && integer_of(text) && !is_exact(text, *number))) return {{}, line};
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
  const std::string text = text_of<T>(elements, columns);
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
  const Elements<T> expected = oracle<T>(tokens, false);
  try {
    compare(read_vector_as<T>(file), expected);
  } catch (const InputError& error) {
    expect(expected.line != 0, "a vector is accepted");
    expect(line_of(error) == expected.line, "an error names its line");
  }
}

void check_in_own_type(const MappedFile& file, const std::vector<Token>& tokens) {
  const bool integers = are_integers(tokens);
  const Elements<double> expected = oracle<double>(tokens, true);
  try {
    const Vector vector = read_vector(file);
    expect(std::holds_alternative<std::vector<std::int32_t>>(vector) == integers,
           "integers are read as such");
    if (integers) {
      const auto& found = std::get<std::vector<std::int32_t>>(vector);
      expect(found.size() == tokens.size(), "all integers are there");
      for (std::size_t i = 0; i < found.size(); ++i) {
        expect(found[i] == integer_of(tokens[i].text), "an integer is the text's");
      }
      round_trip(found, 3);
    } else {
      const auto& found = std::get<std::vector<double>>(vector);
      compare(found, expected);
      round_trip(found, 1);
    }
  } catch (const InputError& error) {
    expect(!integers && expected.line != 0, "a vector is accepted");
    expect(line_of(error) == expected.line, "an error names its line");
  }
}

void check(std::string_view text) {
  if (begins_as_another_format(text)) return;
  const MappedFile file(name, text);
  const std::vector<Token> tokens = tokens_of(without_mark(text));
  check_in_own_type(file, tokens);
  check_as<float>(file, tokens);
  check_as<double>(file, tokens);
}

const Registered target{Target{"vector_text", check}};

}  // namespace
}  // namespace bombard::fuzz
