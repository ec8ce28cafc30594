#include "inputs/matrix_market.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <numeric>
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

/// Reads a file. Its banner and its sizes are read at once.
class MatrixMarketParser {
 public:
  explicit MatrixMarketParser(const InputFile& file)
      : name_(file.name()), text_(NumberText::of_words(file.content(), name_)) {
    parse_banner();
    parse_sizes();
  }

  std::array<std::int64_t, 2> shape() const { return {rows_, columns_}; }

  template <class T>
  Matrix<T> matrix() {
    if (coordinate_) return sparse<T>();
    return dense<T>();
  }

 private:
  /// Takes the next word of the line; empty at its end.
  std::string_view take_word() {
    const std::string_view word = text_.next(true) ? text_.token() : std::string_view();
    text_.skip(word.size());
    return word;
  }

  void require_word(const char* what) {
    if (!text_.next(true)) text_.fail(fmt::format("the line ends before the {}", what));
  }

  std::int64_t take_integer(const char* what, std::int64_t lowest, std::int64_t highest) {
    require_word(what);
    return text_.integer(what, lowest, highest);
  }

  template <class T>
  T take_value() {
    require_word("value");
    const std::string_view token = text_.token();
    const T value = text_.number<T>();
    if (!std::isfinite(value)) text_.fail(fmt::format("value {} is not finite", quoted(token)));
    return value;
  }

  void require_end_of_line(std::string_view what) {
    if (text_.next(true)) text_.fail(fmt::format("{} after {}", quoted(text_.token()), what));
  }

  void parse_banner() {
    text_.next();
    if (const std::string_view begin = take_word(); begin != banner) {
      text_.fail(fmt::format("begins with {}; a file of Matrix Market begins with {}",
                             quoted(begin), banner));
    }
    const auto take = [&](const char* kind, const std::vector<std::string_view>& read,
                          const char* only) {
      std::string word(take_word());
      std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
      if (std::ranges::find(read, word) == read.end()) {
        text_.fail(fmt::format("{}{} is not read, only {}", kind, quoted(word), only));
      }
      return word;
    };
    take("", {"matrix"}, "matrix");
    coordinate_ = take("format ", {"array", "coordinate"}, "array and coordinate") == "coordinate";
    take("field ", {"real", "double", "integer"}, "real, double and integer");
    symmetric_ = coordinate_ ? take("symmetry ", {"general", "symmetric"},
                                    "general and symmetric") == "symmetric"
                             : take("symmetry of an array ", {"general"}, "general") == "symmetric";
    require_end_of_line("the banner");
  }

  void parse_sizes() {
    const std::string sizes = fmt::format(
        "the numbers of {}", coordinate_ ? "rows, columns and entries" : "rows and columns");
    for (;; text_.skip_line()) {
      if (!text_.next()) text_.fail("the file ends before " + sizes, text_.at() - 1);
      if (*text_.at() != '%' || !text_.begins_line()) break;
    }
    sizes_ = text_.at();
    rows_ = take_integer("number of rows", 0, most_rows);
    columns_ = take_integer("number of columns", 0, most_rows);
    if (coordinate_) {
      entries_ = take_integer("number of entries", 0, std::numeric_limits<std::int64_t>::max());
    }
    require_end_of_line(sizes);
    if (symmetric_ && rows_ != columns_) {
      text_.fail(fmt::format("a symmetric matrix is square, not {} x {}", rows_, columns_));
    }
    if (!coordinate_) entries_ = rows_ * columns_;
  }

  std::string announced() const {
    return fmt::format("announces {} entr{}", entries_, entries_ == 1 ? "y" : "ies");
  }
  [[noreturn]] void fail_for_too_few(std::int64_t held) const {
    text_.fail(fmt::format("{} but the file holds {}", announced(), held), sizes_);
  }

  /// Each entry takes at least `bytes_an_entry` bytes: throws when the text is too short for all.
  void require_room(std::int64_t bytes_an_entry) {
    if (entries_ - 1 <= static_cast<std::int64_t>(text_.rest().size()) / bytes_an_entry) return;
    std::int64_t held = 0;
    for (; text_.next(); text_.skip_line()) ++held;
    fail_for_too_few(held);
  }

  /// Calls take() on the line of each of the announced entries.
  template <class Take>
  void take_entries(const Take& take) {
    for (std::int64_t entry = 0; entry < entries_; ++entry) {
      if (!text_.next()) fail_for_too_few(entry);
      take();
      require_end_of_line(coordinate_ ? "row, column and value" : "the value");
    }
    if (text_.next()) {
      text_.fail(fmt::format("{} after the last entry; line {} {}", quoted(text_.token()),
                             text_.line_of(sizes_), announced()));
    }
  }

  /// Values by columns.
  template <class T>
  DenseMatrix<T> dense() {
    require_room(2);
    require_host_memory(byte_count({rows_, columns_, sizeof(T)}), name_);
    DenseMatrix<T> matrix{rows_, columns_, {}};
    matrix.values.resize(static_cast<std::size_t>(rows_ * columns_));
    std::int64_t row = 0;
    std::int64_t column = 0;
    take_entries([&] {
      matrix.values[row * columns_ + column] = take_value<T>();
      if (++row == rows_) {
        ++column;
        row = 0;
      }
    });
    return matrix;
  }

  template <class T>
  SparseMatrix<T> sparse() {
    struct Entry {
      std::int64_t row, column;  // from 1
      T value;
    };
    const auto place = [](const Entry& e) { return std::pair(e.row, e.column); };
    require_room(6);
    const std::int64_t most = entries_ * (symmetric_ ? 2 : 1);
    constexpr std::int64_t a_row = sizeof(std::int64_t);
    require_host_memory(rows_ * a_row + most * static_cast<std::int64_t>(sizeof(Entry)), name_);
    std::vector<Entry> entries;
    entries.reserve(static_cast<std::size_t>(most));
    take_entries([&] {
      const std::int64_t row = take_integer("row", 1, rows_);
      const std::int64_t column = take_integer("column", 1, columns_);
      if (symmetric_ && row < column) {
        text_.fail(
            fmt::format("entry ({}, {}) is above the diagonal; a symmetric matrix is given "
                        "by its lower triangle",
                        row, column));
      }
      const T value = take_value<T>();
      entries.push_back({row, column, value});
      if (symmetric_ && row != column) entries.push_back({column, row, value});
    });

    if (!std::ranges::is_sorted(entries, {}, place)) std::ranges::sort(entries, {}, place);
    const auto twice = std::ranges::adjacent_find(entries, {}, place);
    if (twice != entries.end()) {
      throw InputError(
          fmt::format("{}: entry ({}, {}) appears twice", name_, twice->row, twice->column));
    }
    SparseMatrix<T> matrix{rows_, columns_, {}, {}, {}};
    matrix.row_offsets.resize(static_cast<std::size_t>(rows_) + 1);
    matrix.column_indices.reserve(entries.size());
    matrix.values.reserve(entries.size());
    for (const Entry& entry : entries) {
      ++matrix.row_offsets[entry.row];
      matrix.column_indices.push_back(static_cast<std::int32_t>(entry.column - 1));
      matrix.values.push_back(entry.value);
    }
    std::partial_sum(matrix.row_offsets.begin(), matrix.row_offsets.end(),
                     matrix.row_offsets.begin());
    return matrix;
  }

  const std::string& name_;
  NumberText text_;
  bool coordinate_ = false;
  bool symmetric_ = false;
  std::int64_t rows_ = 0, columns_ = 0, entries_ = 0;
  const char* sizes_ = nullptr;  ///< where they stand
};

}  // namespace

bool is_matrix_market(const InputFile& file) {
  const std::string_view text = without_byte_order_mark(file.content());
  return text.substr(std::ranges::find_if_not(text, is_white) - text.begin()).starts_with(banner);
}

std::array<std::int64_t, 2> matrix_market_shape(const InputFile& file) {
  return MatrixMarketParser(file).shape();
}

template <class T>
Matrix<T> read_matrix_market(const InputFile& file) {
  return MatrixMarketParser(file).matrix<T>();
}

void write_matrix_market(const Elements& values, std::int64_t rows, std::int64_t columns,
                         OutputFile& file) {
  if (rows > most_rows || columns > most_rows) {
    throw InputError(
        fmt::format("{}: a file of Matrix Market has at most {} rows and columns, and these values "
                    "are {} x {}; "
                    "write .npy",
                    file.path(), most_rows, rows, columns));
  }
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
