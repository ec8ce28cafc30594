#include "inputs/matrix_market.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "bombard/errors.hpp"
#include "inputs/byte_count.hpp"
#include "inputs/line_writer.hpp"
#include "inputs/token.hpp"
#include "kernels/base/host_memory.hpp"

namespace bombard {

namespace {

constexpr std::string_view banner = "%%MatrixMarket";

/// Column indices of sparse matrices are 32 bits wide.
constexpr std::int64_t most_rows = std::numeric_limits<std::int32_t>::max();

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

/// Takes and returns the first token of what is left of a line; empty at its end.
std::string_view take_token(std::string_view& line) {
  while (!line.empty() && is_white(line.front())) line.remove_prefix(1);
  const std::string_view token = first_token(line);
  line.remove_prefix(token.size());
  return token;
}

std::string number_of(std::int64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

template <class T>
class MatrixMarketParser {
 public:
  explicit MatrixMarketParser(const MappedFile& file) : rest_(file.content()), name_(file.name()) {}

  Matrix<T> parse() {
    parse_shape();
    if (coordinate_) return sparse();
    return dense();
  }

  MatrixShape parse_shape() {
    parse_banner();
    parse_sizes();
    return {rows_, columns_};
  }

 private:
  [[noreturn]] void fail(std::int64_t line, const std::string& problem) const {
    throw InputError(fmt::format("{}:{}: {}", name_, line, problem));
  }

  /// The next line, white or not; false at the end of the text.
  bool next_line() {
    if (rest_.empty()) return false;
    const std::size_t length = std::min(rest_.find('\n'), rest_.size());
    line_ = rest_.substr(0, length);
    rest_.remove_prefix(std::min(length + 1, rest_.size()));
    ++number_;
    return true;
  }

  /// The next line with something on it; false at the end of the text.
  bool next_data_line() {
    while (next_line()) {
      if (!std::ranges::all_of(line_, is_white)) return true;
    }
    return false;
  }

  void parse_banner() {
    next_line();
    std::string_view line = line_;
    if (take_token(line) != banner) {
      fail(1, fmt::format("begins with {}; a file of Matrix Market begins with {}",
                          quoted(first_token(line_)), banner));
    }
    const auto take_word = [&](const char* kind, const std::vector<std::string_view>& read,
                               const char* only) {
      const std::string word = lower_case(take_token(line));
      if (std::ranges::find(read, word) == read.end()) {
        fail(1,
             fmt::format("{}{} is not read, only {}", kind, quoted(std::string_view(word)), only));
      }
      return word;
    };
    take_word("", {"matrix"}, "matrix");
    coordinate_ =
        take_word("format ", {"array", "coordinate"}, "array and coordinate") == "coordinate";
    take_word("field ", {"real", "double", "integer"}, "real, double and integer");
    symmetric_ =
        take_word("symmetry ", {"general", "symmetric"}, "general and symmetric") == "symmetric";
    require_end_of_line(line, "the banner");
  }

  void parse_sizes() {
    const char* const sizes = coordinate_ ? "rows, columns and entries" : "rows and columns";
    do {
      if (!next_data_line())
        fail(number_, fmt::format("the file ends before the numbers of {}", sizes));
    } while (line_.front() == '%');
    size_line_ = number_;
    std::string_view line = line_;
    rows_ = take_integer(line, "number of rows", 0, most_rows);
    columns_ = take_integer(line, "number of columns", 0, most_rows);
    if (coordinate_) {
      entries_ =
          take_integer(line, "number of entries", 0, std::numeric_limits<std::int64_t>::max());
    }
    require_end_of_line(line, fmt::format("the numbers of {}", sizes));
    if (symmetric_ && rows_ != columns_) {
      fail(number_, fmt::format("a symmetric matrix is square, not {} x {}", rows_, columns_));
    }
    if (!coordinate_) entries_ = symmetric_ ? rows_ * (rows_ + 1) / 2 : rows_ * columns_;
  }

  void require_end_of_line(std::string_view line, std::string_view what) const {
    if (const std::string_view token = take_token(line); !token.empty()) {
      fail(number_, fmt::format("{} behind {}", quoted(token), what));
    }
  }

  std::int64_t take_integer(std::string_view& line, const char* what, std::int64_t lowest,
                            std::int64_t highest) const {
    const std::string_view token = take_token(line);
    if (token.empty()) fail(number_, fmt::format("the line ends before the {}", what));
    const IntegerToken integer = parse_integer(token, what, lowest, highest);
    if (!integer.problem.empty()) fail(number_, integer.problem);
    return integer.value;
  }

  T take_value(std::string_view& line) const {
    const std::string_view token = take_token(line);
    if (token.empty()) fail(number_, "the line ends before the value");
    const NumberToken<T> number = parse_number<T>(token, "value");
    if (!number.problem.empty()) fail(number_, number.problem);
    if (!std::isfinite(number.value)) {
      fail(number_, fmt::format("value {} is not finite", quoted(token)));
    }
    return number.value;
  }

  /// Calls take(line) for each of the announced entries.
  template <class Take>
  void take_entries(const Take& take) {
    for (std::int64_t entry = 0; entry < entries_; ++entry) {
      if (!next_data_line()) fail_for_too_few(entry);
      std::string_view line = line_;
      take(line);
      require_end_of_line(line, coordinate_ ? "row, column and value" : "the value");
    }
    if (next_data_line()) {
      fail(number_, fmt::format("{} behind the last entry; line {} announces {}",
                                quoted(first_token(line_)), size_line_, announced()));
    }
  }

  /// Each entry takes at least `bytes_an_entry` bytes: throws when the text is too short for all.
  void require_room(std::int64_t bytes_an_entry) {
    if (entries_ - 1 <= static_cast<std::int64_t>(rest_.size()) / bytes_an_entry) return;
    std::int64_t held = 0;
    while (next_data_line()) ++held;
    fail_for_too_few(held);
  }

  [[noreturn]] void fail_for_too_few(std::int64_t held) const {
    fail(size_line_, fmt::format("announces {} but the file holds {}", announced(), held));
  }
  std::string announced() const { return number_of(entries_, "entry", "entries"); }

  /// Values by columns; of a symmetric matrix, each column from its diagonal on.
  DenseMatrix<T> dense() {
    require_room(2);
    require_host_memory(byte_count({rows_, columns_, sizeof(T)}), name_);
    DenseMatrix<T> matrix{rows_, columns_, {}};
    matrix.values.resize(static_cast<std::size_t>(rows_ * columns_));
    std::int64_t row = 0;
    std::int64_t column = 0;
    take_entries([&](std::string_view& line) {
      const T value = take_value(line);
      matrix.values[row * columns_ + column] = value;
      if (symmetric_) matrix.values[column * columns_ + row] = value;
      if (++row == rows_) {
        ++column;
        row = symmetric_ ? column : 0;
      }
    });
    return matrix;
  }

  struct Entry {
    std::int32_t row, column;
    T value;
    std::int64_t line;
  };

  SparseMatrix<T> sparse() {
    require_room(6);
    constexpr std::int64_t a_row = 2 * sizeof(std::int64_t);
    constexpr std::int64_t stored_entry = sizeof(std::pair<std::int32_t, T>) + 4 + sizeof(T);
    constexpr std::int64_t entry = sizeof(Entry);
    require_host_memory(rows_ * a_row + entries_ * (entry + (symmetric_ ? 2 : 1) * stored_entry),
                        name_);
    std::vector<Entry> entries;
    entries.reserve(static_cast<std::size_t>(entries_));
    take_entries([&](std::string_view& line) {
      const auto row = static_cast<std::int32_t>(take_integer(line, "row", 1, rows_) - 1);
      const auto column = static_cast<std::int32_t>(take_integer(line, "column", 1, columns_) - 1);
      if (symmetric_ && row < column) {
        fail(number_,
             fmt::format("entry ({}, {}) is above the diagonal; a symmetric matrix is given "
                         "by its lower triangle",
                         row + 1, column + 1));
      }
      entries.push_back({row, column, take_value(line), number_});
    });

    SparseMatrix<T> matrix{rows_, columns_, {}, {}, {}};
    matrix.row_offsets.assign(static_cast<std::size_t>(rows_) + 1, 0);
    const auto for_each_stored = [&](const auto& visit) {
      for (const Entry& entry : entries) {
        visit(entry.row, entry.column, entry.value);
        if (symmetric_ && entry.row != entry.column) visit(entry.column, entry.row, entry.value);
      }
    };
    for_each_stored([&](std::int32_t row, std::int32_t, T) { ++matrix.row_offsets[row + 1]; });
    for (std::int64_t row = 0; row < rows_; ++row) {
      matrix.row_offsets[row + 1] += matrix.row_offsets[row];
    }
    std::vector<std::pair<std::int32_t, T>> stored(
        static_cast<std::size_t>(matrix.row_offsets.back()));
    std::vector<std::int64_t> next(matrix.row_offsets.begin(), matrix.row_offsets.end() - 1);
    for_each_stored([&](std::int32_t row, std::int32_t column, T value) {
      stored[next[row]++] = {column, value};
    });
    matrix.column_indices.reserve(stored.size());
    matrix.values.reserve(stored.size());
    const auto by_column = [](const auto& a, const auto& b) { return a.first < b.first; };
    for (std::int64_t row = 0; row < rows_; ++row) {
      const auto begin = stored.begin() + matrix.row_offsets[row];
      const auto end = stored.begin() + matrix.row_offsets[row + 1];
      std::sort(begin, end, by_column);
      const auto twice = std::adjacent_find(
          begin, end, [](const auto& a, const auto& b) { return a.first == b.first; });
      if (twice != end) fail_for_entry_twice(entries, row, twice->first);
      for (auto entry = begin; entry != end; ++entry) {
        matrix.column_indices.push_back(entry->first);
        matrix.values.push_back(entry->second);
      }
    }
    return matrix;
  }

  [[noreturn]] void fail_for_entry_twice(const std::vector<Entry>& entries, std::int64_t row,
                                         std::int64_t column) const {
    if (symmetric_ && row < column) std::swap(row, column);
    const auto is_it = [&](const Entry& entry) {
      return entry.row == row && entry.column == column;
    };
    const auto first = std::ranges::find_if(entries, is_it);
    const auto second = std::find_if(first + 1, entries.end(), is_it);
    fail(second->line,
         fmt::format("entry ({}, {}) is on line {} already", row + 1, column + 1, first->line));
  }

  std::string_view rest_;
  const std::string& name_;
  std::string_view line_;
  std::int64_t number_ = 0;  ///< of line_, from 1
  bool coordinate_ = false;
  bool symmetric_ = false;
  std::int64_t rows_ = 0, columns_ = 0, entries_ = 0;
  std::int64_t size_line_ = 0;
};

}  // namespace

bool is_matrix_market(const MappedFile& file) {
  return file.content().starts_with(banner);
}

MatrixShape matrix_market_shape(const MappedFile& file) {
  return MatrixMarketParser<double>(file).parse_shape();
}

template <class T>
Matrix<T> read_matrix_market(const MappedFile& file) {
  return MatrixMarketParser<T>(file).parse();
}

template <class T>
void write_matrix_market(std::span<const T> values, std::int64_t rows, std::int64_t columns,
                         OutputFile& file) {
  if (rows > most_rows || columns > most_rows) {
    throw InputError(
        fmt::format("{}: a file of Matrix Market has at most {} rows and columns, and these values "
                    "are {} x {}; "
                    "write .npy",
                    file.path(), most_rows, rows, columns));
  }
  LineWriter writer(file);
  file.write(fmt::format("%%MatrixMarket matrix array {} general\n",
                         std::is_integral_v<T> ? "integer" : "real"));
  writer.line(rows, columns);
  for (std::int64_t column = 0; column < columns; ++column) {
    for (std::int64_t row = 0; row < rows; ++row) writer.line(values[row * columns + column]);
  }
}

template <class T>
void write_matrix_market(const SparseMatrix<T>& matrix, OutputFile& file) {
  LineWriter writer(file);
  file.write("%%MatrixMarket matrix coordinate real general\n");
  writer.line(matrix.rows, matrix.columns, matrix.row_offsets.back());
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::int64_t e = matrix.row_offsets[row]; e < matrix.row_offsets[row + 1]; ++e) {
      writer.line(row + 1, std::int64_t{matrix.column_indices[e]} + 1, matrix.values[e]);
    }
  }
}

template Matrix<float> read_matrix_market(const MappedFile&);
template Matrix<double> read_matrix_market(const MappedFile&);
template void write_matrix_market(std::span<const std::int32_t>, std::int64_t, std::int64_t,
                                  OutputFile&);
template void write_matrix_market(std::span<const float>, std::int64_t, std::int64_t, OutputFile&);
template void write_matrix_market(std::span<const double>, std::int64_t, std::int64_t, OutputFile&);
template void write_matrix_market(const SparseMatrix<float>&, OutputFile&);
template void write_matrix_market(const SparseMatrix<double>&, OutputFile&);

}  // namespace bombard
