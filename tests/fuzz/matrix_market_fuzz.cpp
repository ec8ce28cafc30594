// Matrix Market: inputs/matrix_market.hpp, as float and double.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "inputs/matrix_market.hpp"
#include "tests/fuzz/plain_number.hpp"
#include "tests/fuzz/plain_tokens.hpp"
#include "tests/fuzz/target.hpp"

namespace bombard::fuzz {
namespace {

/// The elements by row and column, from 0.
template <class T>
using Elements = std::map<std::pair<std::int64_t, std::int64_t>, T>;

/// The matrix of a file; or the lines that its error may name, where there are some.
template <class T>
struct Outcome {
  bool sparse = false;
  std::int64_t rows = 0, columns = 0;
  Elements<T> elements;
  std::set<std::int64_t> lines;
};

std::vector<std::string> words_of(std::string_view line) {
  std::istringstream in{std::string(line)};
  return {std::istream_iterator<std::string>(in), {}};
}

template <class T>
Outcome<T> oracle(std::string_view text) {
  static const std::regex banner(
      R"(\s*%%MatrixMarket\s+matrix\s+(array|(coordinate))\s+(?:real|double|(integer))\s+(?:general|(symmetric))\s*)",
      std::regex::icase);
  Outcome<T> outcome;
  const auto error_on = [&](std::set<std::int64_t> lines) {
    outcome.lines = std::move(lines);
    return outcome;
  };
  const std::vector<Token> lines = lines_of(without_mark(text));
  if (lines.empty()) return error_on({last_line(text)});
  const std::string first(lines[0].text);
  std::smatch kind;
  if (!std::regex_match(first, kind, banner) || first.find("%%MatrixMarket") == first.npos) {
    return error_on({lines[0].line});
  }
  outcome.sparse = kind[2].matched;
  const bool integers = kind[3].matched;
  const bool symmetric = kind[4].matched;

  std::size_t i = 1;
  while (i < lines.size() && lines[i].text[0] == '%') ++i;
  if (i == lines.size()) {
    const std::size_t end = text.ends_with("\r\n") ? 2 : 1;
    return error_on({last_line(text.substr(0, text.size() - end))});
  }
  const std::int64_t line_of_sizes = lines[i].line;
  const std::vector<std::string> sizes = words_of(lines[i].text);
  if (sizes.size() != (outcome.sparse ? 3 : 2)) return error_on({line_of_sizes});
  const auto rows = integer_within(sizes[0], 0, 2147483647);
  const auto columns = integer_within(sizes[1], 0, 2147483647);
  if (!rows || !columns || (symmetric && *rows != *columns)) return error_on({line_of_sizes});
  outcome.rows = *rows;
  outcome.columns = *columns;
  std::optional<std::int64_t> announced = symmetric ? *rows * (*rows + 1) / 2 : *rows * *columns;
  if (outcome.sparse) announced = integer_within(sizes[2], 0, 9223372036854775807LL);
  if (!announced) return error_on({line_of_sizes});

  std::pair<std::int64_t, std::int64_t> place{0, 0};  // in an array, down the columns
  std::set<std::int64_t> twice;
  std::int64_t entries = 0;
  for (++i; i < lines.size(); ++i, ++entries) {
    const std::vector<std::string> words = words_of(lines[i].text);
    const std::int64_t line = lines[i].line;
    if (entries == *announced) return error_on({line});
    const auto value = number_of<T>(words.back());
    // Fewer entries than announced may be noticed first.
    const std::set<std::int64_t> wrong{line, line_of_sizes};
    if (words.size() != (outcome.sparse ? 3 : 1) || !value || !std::isfinite(*value)) {
      return error_on(wrong);
    }
    const bool integer = integer_of(words.back()).has_value();
    if (integer ? !is_exact(words.back()) : integers) return error_on(wrong);
    if (outcome.sparse) {
      const auto row = integer_within(words[0], 1, *rows);
      const auto column = integer_within(words[1], 1, *columns);
      if (!row || !column || (symmetric && *row < *column)) return error_on(wrong);
      place = {*row - 1, *column - 1};
    }
    if (!outcome.elements.emplace(place, *value).second) twice.insert(line);
    if (symmetric) outcome.elements.emplace(std::pair(place.second, place.first), *value);
    if (++place.first == *rows) {
      ++place.second;
      place.first = symmetric ? place.second : 0;
    }
  }
  if (entries < *announced) return error_on({line_of_sizes});
  return error_on(twice);  // each is an error, none comes first
}

template <class T>
Elements<T> elements_of(const DenseMatrix<T>& matrix) {
  Elements<T> elements;
  for (std::int64_t i = 0; i < std::ssize(matrix.values); ++i) {
    elements[{i / matrix.columns, i % matrix.columns}] = matrix.values[i];
  }
  return elements;
}

template <class T>
Elements<T> elements_of(const SparseMatrix<T>& matrix) {
  expect(std::ssize(matrix.row_offsets) == matrix.rows + 1, "every row has its offset");
  Elements<T> elements;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    std::int64_t last = -1;
    for (std::int64_t e = matrix.row_offsets[row]; e < matrix.row_offsets[row + 1]; ++e) {
      expect(matrix.column_indices[e] > last, "columns ascend");
      last = matrix.column_indices[e];
      elements[{row, last}] = matrix.values[e];
    }
  }
  return elements;
}

template <class T>
void check_as(std::string_view text) {
  const Outcome<T> expected = oracle<T>(text);
  const auto equal = [](const auto& a, const auto& b) {
    return a.first == b.first && same(a.second, b.second);
  };
  try {
    const Matrix<T> matrix = read_matrix_market<T>(MappedFile(name, text));
    expect(expected.lines.empty(), "matrices are accepted, no more");
    expect(std::holds_alternative<SparseMatrix<T>>(matrix) == expected.sparse,
           "entries make a sparse matrix");
    std::visit(
        [&](const auto& m) {
          expect(m.rows == expected.rows && m.columns == expected.columns, "sizes are the file's");
          expect(std::ranges::equal(elements_of(m), expected.elements, equal),
                 "elements are the file's, rounded once");
        },
        matrix);
  } catch (const InputError& error) {
    expect(!expected.lines.empty(), "a matrix is accepted");
    expect(expected.lines.contains(line_of(error)), "an error names its line");
  } catch (const CannotRun&) {
    expect(expected.sparse && expected.rows > 10'000, "only many rows take much memory");
  }
}

void check(std::string_view text) {
  check_as<float>(text);
  check_as<double>(text);
}

const Registered target{Target{"matrix_market", check}};

}  // namespace
}  // namespace bombard::fuzz
