// Matrix Market: inputs/matrix_market.hpp, as float and double, as a matrix and as a row.

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "inputs/matrix_market.hpp"
#include "tests/fuzz/expectation.hpp"
#include "tests/fuzz/plain_number.hpp"
#include "tests/fuzz/target.hpp"

namespace bombard::fuzz {
namespace {

using Place = std::pair<std::int64_t, std::int64_t>;  ///< row and column, from 0

/// The matrix of a file, or the line of its error.
template <class T>
struct Outcome {
  bool sparse = false;
  std::int64_t rows = 0, columns = 0;
  std::map<Place, T> entries;
  std::int64_t line = 0;                  ///< 0: there is no error
  std::vector<std::int64_t> other_lines;  ///< where the error may stand as well
};

/// A line's tokens, and whether it begins with %.
struct Line {
  std::vector<std::string_view> tokens;
  bool comment;
  std::int64_t number;
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  std::int64_t number = 1;
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    Line found{{}, line.substr(0, 1) == "%", number};
    for (const Token& token : words_of(line)) found.tokens.push_back(token.text);
    lines.push_back(found);
    begin = end + 1;
  }
  return lines;
}

std::string lower_case(std::string_view word) {
  std::string lower;
  for (const char c : word) {
    lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return lower;
}

struct Banner {
  bool sparse, symmetric;
};

std::optional<Banner> banner_of(const std::vector<std::string_view>& tokens) {
  if (tokens.size() != 5 || tokens[0] != "%%MatrixMarket") return {};
  if (lower_case(tokens[1]) != "matrix") return {};
  const std::string format = lower_case(tokens[2]);
  const std::string field = lower_case(tokens[3]);
  const std::string symmetry = lower_case(tokens[4]);
  if (format != "array" && format != "coordinate") return {};
  if (field != "real" && field != "double" && field != "integer") return {};
  if (symmetry != "general" && symmetry != "symmetric") return {};
  return Banner{format == "coordinate", symmetry == "symmetric"};
}

/// Reads entries into an outcome whose sizes are known.
template <class T>
class EntryReader {
 public:
  EntryReader(Outcome<T>& outcome, Banner banner) : outcome_(outcome), banner_(banner) {}

  /// Whether the line is an entry.
  bool take(const std::vector<std::string_view>& tokens) {
    twice_ = false;
    return banner_.sparse ? take_coordinate(tokens) : take_next(tokens);
  }
  /// Whether the last entry has come before.
  bool came_twice() const { return twice_; }

 private:
  bool take_coordinate(const std::vector<std::string_view>& tokens) {
    if (tokens.size() != 3) return false;
    const auto row = integer_within(tokens[0], 1, outcome_.rows);
    const auto column = integer_within(tokens[1], 1, outcome_.columns);
    if (!row || !column || (banner_.symmetric && *row < *column)) return false;
    return put({*row - 1, *column - 1}, tokens[2]);
  }

  /// The values of an array go down the columns; of a symmetric one, from the diagonal.
  bool take_next(const std::vector<std::string_view>& tokens) {
    if (tokens.size() != 1 || !put(next_, tokens[0])) return false;
    if (++next_.first == outcome_.rows) {
      ++next_.second;
      next_.first = banner_.symmetric ? next_.second : 0;
    }
    return true;
  }

  bool put(Place place, std::string_view token) {
    const auto value = number_of<T>(token);
    if (!value || !std::isfinite(*value)) return false;
    if (!outcome_.entries.emplace(place, *value).second) twice_ = true;
    if (banner_.symmetric) outcome_.entries.emplace(Place{place.second, place.first}, *value);
    return true;
  }

  Outcome<T>& outcome_;
  Banner banner_;
  Place next_{0, 0};
  bool twice_ = false;
};

template <class T>
Outcome<T> oracle(std::string_view text) {
  const std::vector<Line> lines = lines_of(text);
  Outcome<T> outcome;
  const auto error = [&](std::int64_t line) {
    outcome.line = line;
    return outcome;
  };
  const auto banner = lines.empty() ? std::nullopt : banner_of(lines[0].tokens);
  if (!banner) return error(1);
  outcome.sparse = banner->sparse;

  std::size_t i = 1;
  while (i < lines.size() && (lines[i].comment || lines[i].tokens.empty())) ++i;
  if (i == lines.size()) return error(static_cast<std::int64_t>(lines.size()));
  const Line& sizes = lines[i++];
  const auto size = [&](std::size_t k, std::int64_t highest) {
    return k < sizes.tokens.size() ? integer_within(sizes.tokens[k], 0, highest) : std::nullopt;
  };
  const auto rows = size(0, 2147483647);
  const auto columns = size(1, 2147483647);
  std::optional<std::int64_t> announced = 0;
  if (banner->sparse) announced = size(2, 9223372036854775807LL);
  if (!rows || !columns || !announced || sizes.tokens.size() != (banner->sparse ? 3 : 2)) {
    return error(sizes.number);
  }
  if (banner->symmetric && *rows != *columns) return error(sizes.number);
  if (!banner->sparse) announced = banner->symmetric ? *rows * (*rows + 1) / 2 : *rows * *columns;
  outcome.rows = *rows;
  outcome.columns = *columns;

  EntryReader<T> reader(outcome, *banner);
  std::int64_t entries = 0;
  std::vector<std::int64_t> twice;
  for (; i < lines.size(); ++i) {
    if (lines[i].tokens.empty()) continue;
    if (entries++ == *announced) return error(lines[i].number);
    if (!reader.take(lines[i].tokens)) {
      outcome.other_lines = {sizes.number};  // fewer entries than announced may be noticed first
      return error(lines[i].number);
    }
    if (reader.came_twice()) twice.push_back(lines[i].number);
  }
  if (entries < *announced) return error(sizes.number);
  outcome.other_lines = twice;  // each is an error, none comes first
  return twice.empty() ? outcome : error(twice[0]);
}

template <class T>
std::map<Place, T> entries_of(const DenseMatrix<T>& matrix) {
  std::map<Place, T> entries;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(matrix.values.size()); ++i) {
    entries[{i / matrix.columns, i % matrix.columns}] = matrix.values[static_cast<std::size_t>(i)];
  }
  return entries;
}

template <class T>
std::map<Place, T> entries_of(const SparseMatrix<T>& matrix) {
  expect(static_cast<std::int64_t>(matrix.row_offsets.size()) == matrix.rows + 1,
         "every row has its offset");
  std::map<Place, T> entries;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    const auto begin = matrix.row_offsets[static_cast<std::size_t>(row)];
    const auto end = matrix.row_offsets[static_cast<std::size_t>(row) + 1];
    for (std::int64_t e = begin; e < end; ++e) {
      const auto column = matrix.column_indices[static_cast<std::size_t>(e)];
      expect(e == begin || column > matrix.column_indices[static_cast<std::size_t>(e) - 1],
             "columns ascend");
      entries[{row, column}] = matrix.values[static_cast<std::size_t>(e)];
    }
  }
  return entries;
}

template <class T>
bool equal(const std::map<Place, T>& a, const std::map<Place, T>& b) {
  if (a.size() != b.size()) return false;
  for (auto i = a.begin(), j = b.begin(); i != a.end(); ++i, ++j) {
    if (i->first != j->first || !same(i->second, j->second)) return false;
  }
  return true;
}

template <class T>
void check_as(std::string_view text) {
  const Outcome<T> expected = oracle<T>(text);
  try {
    const Matrix<T> matrix = read_matrix_market<T>(MappedFile(name, text));
    expect(expected.line == 0, "matrices are accepted, no more");
    expect(std::holds_alternative<SparseMatrix<T>>(matrix) == expected.sparse,
           "entries make a sparse matrix");
    std::visit(
        [&](const auto& m) {
          expect(m.rows == expected.rows && m.columns == expected.columns, "sizes are the file's");
          expect(equal(entries_of(m), expected.entries), "entries are the file's, rounded once");
        },
        matrix);
  } catch (const InputError& error) {
    expect(expected.line != 0, "a matrix is accepted");
    const std::int64_t line = line_of(error);
    const auto& others = expected.other_lines;
    expect(line == expected.line || std::find(others.begin(), others.end(), line) != others.end(),
           "an error names its line");
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
