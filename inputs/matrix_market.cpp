#include "inputs/matrix_market.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "bombard/errors.hpp"
#include "inputs/byte_count.hpp"
#include "inputs/number_text.hpp"
#include "inputs/write_line.hpp"
#include "kernels/base/host_memory.hpp"

namespace bombard {

namespace {

constexpr std::string_view banner = "%%MatrixMarket";

/// Column indices of sparse matrices are 32 bits wide.
constexpr std::int64_t most_rows = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t most_entries = std::int64_t{1} << 62;

/// What stands before the entries.
struct Header {
  bool coordinate, symmetric;
  std::int64_t rows, columns, entries;
  const char* sizes;  ///< where they stand
};

/// Takes the next word of the line; empty at its end.
std::string_view take_word(NumberText& text) {
  const std::string_view word = text.next(true) ? text.token() : std::string_view();
  text.skip(word.size());
  return word;
}

std::int64_t take_integer(NumberText& text, const char* what, std::int64_t lowest,
                          std::int64_t highest) {
  if (!text.next(true)) text.fail(fmt::format("the line ends before the {}", what));
  return text.integer(what, lowest, highest);
}

template <class T>
T take_value(NumberText& text) {
  if (!text.next(true)) text.fail("the line ends before the value");
  const std::string_view token = text.token();
  const T value = text.number<T>();
  if (!std::isfinite(value)) text.fail(fmt::format("value {} is not finite", in_quotes(token)));
  return value;
}

void require_end_of_line(NumberText& text, std::string_view what) {
  if (text.next(true)) text.fail(fmt::format("{} after {}", in_quotes(text.token()), what));
}

/// Takes the next word of the banner, one of these.
std::string take_kind(NumberText& text, const char* kind, std::vector<std::string> read) {
  std::string word(take_word(text));
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
  if (std::ranges::count(read, word) == 0) {
    text.fail(fmt::format("{}{} is not read; there are {}", kind, in_quotes(word),
                          fmt::join(read, ", ")));
  }
  return word;
}

Header take_header(NumberText& text) {
  Header header{};
  text.next();
  if (const std::string_view begin = take_word(text); begin != banner) {
    text.fail(fmt::format("begins with {}; a file of Matrix Market begins with {}",
                          in_quotes(begin), banner));
  }
  take_kind(text, "", {"matrix"});
  header.coordinate = take_kind(text, "format ", {"array", "coordinate"}) == "coordinate";
  take_kind(text, "field ", {"real", "double", "integer"});
  std::vector<std::string> symmetries{"general"};
  if (header.coordinate) symmetries.emplace_back("symmetric");
  header.symmetric = take_kind(text, header.coordinate ? "symmetry " : "symmetry of an array ",
                               symmetries) == "symmetric";
  require_end_of_line(text, "the banner");

  const std::string sizes = fmt::format(
      "the numbers of {}", header.coordinate ? "rows, columns and entries" : "rows and columns");
  for (;; text.skip_line()) {
    if (!text.next()) text.fail("the file ends before " + sizes, text.at() - 1);
    if (*text.at() != '%' || !text.begins_line()) break;
  }
  header.sizes = text.at();
  const std::int64_t most = header.coordinate ? most_rows : most_entries;
  header.rows = take_integer(text, "number of rows", 0, most);
  header.columns = take_integer(text, "number of columns", 0, most);
  header.entries = header.coordinate ? take_integer(text, "number of entries", 0, most_entries)
                                     : byte_count({header.rows, header.columns});
  require_end_of_line(text, sizes);
  if (header.symmetric && header.rows != header.columns) {
    text.fail(
        fmt::format("a symmetric matrix is square, not {} x {}", header.rows, header.columns));
  }
  return header;
}

/// The values that take() returns for the line of each of the announced entries.
template <class Take>
auto take_entries(NumberText& text, const Header& header, const std::string& name,
                  const Take& take) {
  using Entry = decltype(take());
  std::vector<Entry> entries;
  // However many are announced, each takes two characters at least.
  const std::int64_t most = std::min(header.entries, std::ssize(text.rest()) / 2 + 1);
  require_host_memory(byte_count({most, sizeof(Entry)}), name);
  entries.reserve(static_cast<std::size_t>(most));
  for (; text.next(); require_end_of_line(text, "the last number of an entry")) {
    if (std::ssize(entries) == header.entries) {
      text.fail(fmt::format("{} after the last entry; line {} announces {}",
                            in_quotes(text.token()), text.line_of(header.sizes), header.entries));
    }
    entries.push_back(take());
  }
  if (std::ssize(entries) < header.entries) {
    text.fail(
        fmt::format("announces {} entries but the file holds {}", header.entries, entries.size()),
        header.sizes);
  }
  return entries;
}

/// Values by columns.
template <class T>
DenseMatrix<T> take_dense(NumberText& text, const Header& header, const std::string& name) {
  const auto by_columns = take_entries(text, header, name, [&] { return take_value<T>(text); });
  DenseMatrix<T> matrix{header.rows, header.columns, std::vector<T>(by_columns.size())};
  for (std::int64_t entry = 0; entry < header.entries; ++entry) {
    const std::int64_t row = entry % header.rows, column = entry / header.rows;
    matrix.values[row * header.columns + column] = by_columns[entry];
  }
  return matrix;
}

template <class T>
SparseMatrix<T> take_sparse(NumberText& text, const Header& header, const std::string& name) {
  using Place = std::pair<std::int64_t, std::int64_t>;  // row and column, from 1
  using Entry = std::pair<Place, T>;
  constexpr auto place = &Entry::first;
  require_host_memory(byte_count({header.rows, sizeof(std::int64_t)}), name);  // may be empty
  auto entries = take_entries(text, header, name, [&] {
    const std::int64_t row = take_integer(text, "row", 1, header.rows);
    const std::int64_t column = take_integer(text, "column", 1, header.columns);
    if (header.symmetric && row < column) {
      text.fail(
          fmt::format("entry ({}, {}) is above the diagonal; a symmetric matrix is given by its "
                      "lower triangle",
                      row, column));
    }
    return Entry{{row, column}, take_value<T>(text)};
  });
  for (std::size_t i = 0; header.symmetric && i < static_cast<std::size_t>(header.entries); ++i) {
    const auto [at, value] = entries[i];
    if (at.first != at.second) entries.push_back({{at.second, at.first}, value});
  }
  if (!std::ranges::is_sorted(entries, {}, place)) std::ranges::sort(entries, {}, place);
  const auto twice = std::ranges::adjacent_find(entries, {}, place);
  if (twice != entries.end()) {
    throw InputError(fmt::format("{}: entry ({}, {}) appears twice", name, twice->first.first,
                                 twice->first.second));
  }
  SparseMatrix<T> matrix{header.rows, header.columns, {}, {}, {}};
  matrix.row_offsets.resize(static_cast<std::size_t>(header.rows) + 1);
  matrix.column_indices.reserve(entries.size());
  matrix.values.reserve(entries.size());
  for (const auto& [at, value] : entries) {
    ++matrix.row_offsets[at.first];
    matrix.column_indices.push_back(static_cast<std::int32_t>(at.second - 1));
    matrix.values.push_back(value);
  }
  std::partial_sum(matrix.row_offsets.begin(), matrix.row_offsets.end(),
                   matrix.row_offsets.begin());
  return matrix;
}

}  // namespace

bool is_matrix_market(const InputFile& file) {
  const std::string_view text = without_byte_order_mark(file.content());
  return text.substr(std::ranges::find_if_not(text, is_white) - text.begin()).starts_with(banner);
}

template <class T>
Matrix<T> read_matrix_market(const InputFile& file) {
  NumberText text(file.content(), file.name());
  const Header header = take_header(text);
  if (header.coordinate) return take_sparse<T>(text, header, file.name());
  return take_dense<T>(text, header, file.name());
}

void write_matrix_market(const Elements& values, std::int64_t rows, std::int64_t columns,
                         OutputFile& file) {
  std::visit(
      [&]<class T>(std::span<const T> elements) {
        file.write(fmt::format("%%MatrixMarket matrix array {} general\n",
                               std::is_integral_v<T> ? "integer" : "real"));
        write_line(file, rows, columns);
        for (std::int64_t column = 0; column < columns; ++column) {
          for (std::int64_t row = 0; row < rows; ++row) {
            write_line(file, elements[row * columns + column]);
          }
        }
      },
      values);
}

void write_matrix_market(const SparseMatrix<double>& matrix, OutputFile& file) {
  file.write("%%MatrixMarket matrix coordinate real general\n");
  write_line(file, matrix.rows, matrix.columns, matrix.row_offsets.back());
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::int64_t e = matrix.row_offsets[row]; e < matrix.row_offsets[row + 1]; ++e) {
      write_line(file, row + 1, std::int64_t{matrix.column_indices[e]} + 1, matrix.values[e]);
    }
  }
}

template Matrix<float> read_matrix_market(const InputFile&);
template Matrix<double> read_matrix_market(const InputFile&);

}  // namespace bombard
