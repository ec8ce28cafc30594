// Matrix Market: inputs/matrix_market.hpp, as float and double.

#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
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

namespace bombard::fuzz::matrix_market_fuzz {
namespace {

/// The matrix of a file, its elements by row and column, from 0.
template <class T>
struct PlainMatrix {
  bool sparse = false;
  std::int64_t rows = 0, columns = 0;
  std::map<std::pair<std::int64_t, std::int64_t>, T> elements;
};

std::vector<std::string> words_of(std::string_view line) {
  std::istringstream in{std::string(line)};
  return {std::istream_iterator<std::string>(in), {}};
}

template <class T>
auto oracle(std::string_view text) {
  static const std::regex banner(
      R"(\s*%%MatrixMarket\s+matrix\s+(array|(coordinate))\s+(?:real|double|(integer))\s+(?:general|(symmetric))\s*)",
      std::regex::icase);
  PlainMatrix<T> matrix;
  const auto error_on = [&](const std::set<std::int64_t>& lines) {
    return Verdict<PlainMatrix<T>>{matrix, lines};
  };
  const std::vector<Token> lines = lines_of(without_mark(text));
  if (lines.empty()) return error_on({last_line(text)});
  const std::string first(lines[0].text);
  std::smatch kind;
  if (!std::regex_match(first, kind, banner) || first.find("%%MatrixMarket") == first.npos) {
    return error_on({lines[0].line});
  }
  const bool sparse = matrix.sparse = kind[2].matched;
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
  if (sizes.size() != (sparse ? 3 : 2)) return error_on({line_of_sizes});
  const auto rows = integer_within(sizes[0], 0, 2147483647);
  const auto columns = integer_within(sizes[1], 0, 2147483647);
  if (!rows || !columns || (symmetric && *rows != *columns)) return error_on({line_of_sizes});
  matrix.rows = *rows;
  matrix.columns = *columns;
  std::optional<std::int64_t> announced = symmetric ? *rows * (*rows + 1) / 2 : *rows * *columns;
  if (sparse) announced = integer_within(sizes[2], 0, 9223372036854775807LL);
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
    if (words.size() != (sparse ? 3 : 1) || !value || !std::isfinite(*value)) {
      return error_on(wrong);
    }
    const bool integer = integer_of(words.back()).has_value();
    if (integer ? !is_exact(words.back()) : integers) return error_on(wrong);
    if (sparse) {
      const auto row = integer_within(words[0], 1, *rows);
      const auto column = integer_within(words[1], 1, *columns);
      if (!row || !column || (symmetric && *row < *column)) return error_on(wrong);
      place = {*row - 1, *column - 1};
    }
    if (!matrix.elements.emplace(place, *value).second) twice.insert(line);
    if (symmetric) matrix.elements.emplace(std::pair(place.second, place.first), *value);
    if (++place.first == *rows) {
      ++place.second;
      place.first = symmetric ? place.second : 0;
    }
  }
  if (entries < *announced) return error_on({line_of_sizes});
  return error_on(twice);  // each is an error, none comes first
}

template <class T>
void compare(const Matrix<T>& found, const PlainMatrix<T>& expected) {
  std::vector<T> values;
  for (const auto& [place, value] : expected.elements) values.push_back(value);
  std::visit(
      [&](const auto& matrix) {
        expect(matrix.rows == expected.rows && matrix.columns == expected.columns,
               "sizes are the file's");
        expect(all_same(matrix.values, values), "elements are the file's, rounded once");
      },
      found);
  const auto* const sparse = std::get_if<SparseMatrix<T>>(&found);
  expect((sparse != nullptr) == expected.sparse, "entries make a sparse matrix");
  if (!expected.sparse) return;
  std::vector<std::int64_t> row_offsets(static_cast<std::size_t>(expected.rows) + 1);
  std::vector<std::int32_t> column_indices;
  for (const auto& [place, value] : expected.elements) {
    ++row_offsets[place.first + 1];
    column_indices.push_back(static_cast<std::int32_t>(place.second));
  }
  std::partial_sum(row_offsets.begin(), row_offsets.end(), row_offsets.begin());
  expect(sparse->row_offsets == row_offsets && sparse->column_indices == column_indices,
         "elements stand where the file says");
}

template <class T>
void check_as(std::string_view text) {
  const auto expected = oracle<T>(text);
  try {
    const auto found =
        read_as(expected, [&] { return read_matrix_market<T>(MappedFile(name, text)); });
    if (found) compare(*found, expected.value);
  } catch (const CannotRun&) {
    expect(expected.value.sparse && expected.value.rows > 10'000,
           "only many rows take much memory");
  }
}

void check(std::string_view text) {
  check_as<float>(text);
  check_as<double>(text);
}

const Registered target{Target{"matrix_market", check}};

}  // namespace
}  // namespace bombard::fuzz::matrix_market_fuzz
