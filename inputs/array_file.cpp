#include "inputs/array_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "bombard/errors.hpp"
#include "inputs/byte_count.hpp"
#include "inputs/foreign_format.hpp"
#include "inputs/integer_scanner.hpp"
#include "inputs/mapped_file.hpp"
#include "inputs/matrix_market.hpp"
#include "inputs/npy.hpp"
#include "inputs/separators.hpp"
#include "inputs/token.hpp"

namespace bombard {

namespace {

/// The elements of a text of nothing but integers of 32 bits; nothing for any other.
std::optional<std::vector<std::int32_t>> integers(std::string_view text) {
  std::vector<std::int32_t> values;
  const char* at = text.data();
  const char* const end = at + text.size();
  Separators separators;
  for (;;) {
    separators.skip(at, end);
    if (at == end) return values;
    std::int64_t value = 0;
    const char* behind = at;
    if (end - at > scan_margin && scan_integer(behind, value) && ends_number(*behind)) {
      at = behind;
    } else {
      const std::string_view token = number_token(at, end);
      using Limits = std::numeric_limits<std::int32_t>;
      const IntegerToken integer = parse_integer(token, "", Limits::min(), Limits::max());
      if (!integer.problem.empty()) return {};
      value = integer.value;
      at += token.size();
    }
    if (value != static_cast<std::int32_t>(value)) return {};
    values.push_back(static_cast<std::int32_t>(value));
  }
}

/// Whether a token is an integer that the double nearest to it does not give back.
bool loses_digits(std::string_view token, double value) {
  if (token.size() <= std::numeric_limits<double>::digits10) return false;
  if (token.front() == '-' || token.front() == '+') token.remove_prefix(1);
  token.remove_prefix(std::min(token.find_first_not_of('0'), token.size()));
  return token.find_first_not_of("0123456789") == std::string_view::npos &&
         fmt::format("{:.0f}", std::abs(value)) != (token.empty() ? "0" : token);
}

/// The numbers of a text; `own_type` also refuses integers that T does not hold.
template <class T>
std::vector<T> numbers(std::string_view text, const std::string& name, bool own_type) {
  std::vector<T> values;
  Separators separators;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (separators.skip(at, end); at != end; separators.skip(at, end)) {
    const std::string_view token = number_token(at, end);
    NumberToken<T> number = parse_number<T>(token, "value");
    if (own_type && loses_digits(token, number.value)) {
      number.problem =
          fmt::format("value {} has more digits than a 64-bit float holds", quoted(token));
    }
    if (!number.problem.empty()) {
      throw InputError(fmt::format("{}:{}: {}", name, separators.line(), number.problem));
    }
    values.push_back(number.value);
    at += token.size();
  }
  return values;
}

[[noreturn]] void fail_for_shape(const std::string& name, const std::string& shape) {
  throw InputError(
      fmt::format("{}: this array is {}; a vector has one dimension, or one row or one "
                  "column",
                  name, shape));
}

void require_vector(const std::string& name, std::int64_t rows, std::int64_t columns) {
  if (rows != 1 && columns != 1) fail_for_shape(name, fmt::format("{} x {}", rows, columns));
}

void require_vector(const std::string& name, const NpyArray& array) {
  const std::vector<std::int64_t>& shape = array.shape();
  if (shape.size() > 2) fail_for_shape(name, array.shape_text());
  if (shape.size() == 2) require_vector(name, shape[0], shape[1]);
}

/// The elements of an array as T.
template <class T>
std::vector<T> converted(const NpyArray& array, const std::string& name) {
  return std::visit(
      [&](const auto elements) {
        std::vector<T> values(elements.begin(), elements.end());
        for (std::size_t i = 0; i < values.size(); ++i) {
          if (std::isinf(values[i]) && !std::isinf(static_cast<double>(elements[i]))) {
            throw InputError(
                fmt::format("{}: element {} is {}, too large for float: use --precision "
                            "double",
                            name, i + 1, elements[i]));
          }
        }
        return values;
      },
      array.values());
}

/// Whether values can be integers of 32 bits and give the same back.
bool are_integers(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) {
    return std::abs(value) < 0x1p31 && value == static_cast<std::int32_t>(value) &&
           !(value == 0 && std::signbit(value));
  });
}

/// A matrix of one row or one column, as one row.
template <class T>
Matrix<T> row_of(const MappedFile& file, const RequireMemory& require_memory) {
  const auto [rows, columns] = matrix_market_shape(file);
  require_vector(file.name(), rows, columns);
  return read_matrix_market_as_row<T>(file, require_memory);
}

/// All elements of a row, as T. One that is not stored is 0.
template <class T, class Stored>
std::vector<T> elements_of(Matrix<Stored> row, const std::string& name,
                           const RequireMemory& require_memory) {
  if constexpr (std::is_same_v<T, Stored>) {
    if (auto* const stored = std::get_if<DenseMatrix<T>>(&row)) return std::move(stored->values);
  }
  if (const auto* const stored = std::get_if<DenseMatrix<Stored>>(&row)) {
    return {stored->values.begin(), stored->values.end()};
  }
  const auto& sparse = std::get<SparseMatrix<Stored>>(row);
  if (require_memory) require_memory(byte_count({sparse.columns, sizeof(T)}), name);
  std::vector<T> elements(static_cast<std::size_t>(sparse.columns));
  for (std::size_t e = 0; e < sparse.values.size(); ++e) {
    elements[static_cast<std::size_t>(sparse.column_indices[e])] = static_cast<T>(sparse.values[e]);
  }
  return elements;
}

/// Integers of 64 bits as those of 32 where all fit, else as doubles, which must hold each exactly.
Vector in_simplest_type(std::span<const std::int64_t> elements, const std::string& name) {
  const auto fits = [](std::int64_t e) { return e == static_cast<std::int32_t>(e); };
  if (std::ranges::all_of(elements, fits)) {
    return std::vector<std::int32_t>(elements.begin(), elements.end());
  }
  // 2^63 is a double, but no std::int64_t to compare with.
  const auto exact = [](std::int64_t e) {
    const auto number = static_cast<double>(e);
    return number < 0x1p63 && static_cast<std::int64_t>(number) == e;
  };
  const auto lost = std::ranges::find_if_not(elements, exact);
  if (lost != elements.end()) {
    throw InputError(fmt::format("{}: element {} is {}, more digits than a 64-bit float holds",
                                 name, lost - elements.begin() + 1, *lost));
  }
  return std::vector<double>(elements.begin(), elements.end());
}

}  // namespace

Vector read_vector(const MappedFile& file, const RequireMemory& require_memory) {
  reject_foreign_format(file.content(), file.name());
  if (is_npy(file)) {
    const NpyArray array(file);
    require_vector(file.name(), array);
    return std::visit(
        [&]<class T>(std::span<const T> elements) -> Vector {
          if constexpr (std::is_same_v<T, std::int64_t>) {
            return in_simplest_type(elements, file.name());
          } else {
            return std::vector<T>(elements.begin(), elements.end());
          }
        },
        array.values());
  }
  if (is_matrix_market(file)) {
    Matrix<double> row = row_of<double>(file, require_memory);
    const bool integers = std::visit([](const auto& r) { return are_integers(r.values); }, row);
    if (integers) {
      return elements_of<std::int32_t>(std::move(row), file.name(), require_memory);
    }
    return elements_of<double>(std::move(row), file.name(), require_memory);
  }
  const std::string_view text = without_byte_order_mark(file.content());
  if (auto values = integers(text)) return std::move(*values);
  return numbers<double>(text, file.name(), true);
}

template <class T>
std::vector<T> read_vector_as(const MappedFile& file, const RequireMemory& require_memory) {
  reject_foreign_format(file.content(), file.name());
  if (is_npy(file)) {
    const NpyArray array(file);
    require_vector(file.name(), array);
    return converted<T>(array, file.name());
  }
  if (is_matrix_market(file)) {
    return elements_of<T>(row_of<T>(file, require_memory), file.name(), require_memory);
  }
  return numbers<T>(without_byte_order_mark(file.content()), file.name(), false);
}

template <class T>
Matrix<T> read_matrix(const MappedFile& file, const RequireMemory& require_memory) {
  reject_foreign_format(file.content(), file.name());
  if (is_matrix_market(file)) return read_matrix_market<T>(file, require_memory);
  if (!is_npy(file)) {
    throw InputError(
        fmt::format("{}: is neither a file of Matrix Market, which begins with "
                    "%%MatrixMarket, nor a NumPy array (.npy)",
                    file.name()));
  }
  const NpyArray array(file);
  const std::vector<std::int64_t>& shape = array.shape();
  if (shape.size() != 2) {
    throw InputError(fmt::format("{}: this array is {}; a matrix has two dimensions", file.name(),
                                 array.shape_text()));
  }
  return DenseMatrix<T>{shape[0], shape[1], converted<T>(array, file.name())};
}

template <class T>
DenseMatrix<T> read_dense_matrix(const MappedFile& file, const RequireMemory& require_memory) {
  if (is_matrix_market(file) && require_memory) {
    const auto [rows, columns] = matrix_market_shape(file);
    require_memory(byte_count({rows, columns, sizeof(T)}),
                   fmt::format("{}, with every element stored,", file.name()));
  }
  return dense(read_matrix<T>(file, require_memory));
}

template <class T>
DenseMatrix<T> dense(Matrix<T> matrix) {
  if (auto* const stored = std::get_if<DenseMatrix<T>>(&matrix)) return std::move(*stored);
  const SparseMatrix<T>& sparse = std::get<SparseMatrix<T>>(matrix);
  DenseMatrix<T> all{sparse.rows, sparse.columns, {}};
  all.values.resize(static_cast<std::size_t>(byte_count({sparse.rows, sparse.columns})));
  for (std::int64_t row = 0; row < sparse.rows; ++row) {
    for (std::int64_t e = sparse.row_offsets[row]; e < sparse.row_offsets[row + 1]; ++e) {
      all.values[row * sparse.columns + sparse.column_indices[e]] = sparse.values[e];
    }
  }
  return all;
}

ArrayFormat array_format(const std::string& path) {
  if (path.ends_with(".npy")) return ArrayFormat::npy;
  if (path.ends_with(".mtx")) return ArrayFormat::matrix_market;
  return ArrayFormat::text;
}

namespace {

template <class T>
void append_rows(std::span<const T> elements, std::int64_t columns, std::string& text) {
  char number[32];
  std::int64_t column = 0;
  for (const T element : elements) {
    // The sign of a NaN means nothing, and other processors give another.
    const T shown = element != element ? std::numeric_limits<T>::quiet_NaN() : element;
    text.append(number, std::to_chars(number, number + sizeof number, shown).ptr);
    text += ++column < columns ? ' ' : '\n';
    if (column == columns) column = 0;
  }
}

}  // namespace

template <class T>
void write_array(std::span<const T> elements, const std::vector<std::int64_t>& shape,
                 ArrayFormat format, OutputFile& file) {
  const std::int64_t columns = shape.size() == 1 ? 1 : shape[1];
  switch (format) {
    case ArrayFormat::npy:
      write_npy(elements, shape, file);
      break;
    case ArrayFormat::matrix_market:
      write_matrix_market(elements, shape[0], columns, file);
      break;
    case ArrayFormat::text:
      std::string rows;
      while (!elements.empty()) {
        const std::size_t some =
            std::min(static_cast<std::size_t>(columns) * (4096 / columns + 1), elements.size());
        rows.clear();
        append_rows(elements.first(some), columns, rows);
        file.write(rows);
        elements = elements.subspan(some);
      }
  }
}

template <class T>
std::string text_of(std::span<const T> elements, std::int64_t columns) {
  std::string text;
  append_rows(elements, columns, text);
  return text;
}

template std::vector<float> read_vector_as(const MappedFile&, const RequireMemory&);
template std::vector<double> read_vector_as(const MappedFile&, const RequireMemory&);
template Matrix<float> read_matrix(const MappedFile&, const RequireMemory&);
template Matrix<double> read_matrix(const MappedFile&, const RequireMemory&);
template DenseMatrix<float> read_dense_matrix(const MappedFile&, const RequireMemory&);
template DenseMatrix<double> read_dense_matrix(const MappedFile&, const RequireMemory&);
template DenseMatrix<float> dense(Matrix<float>);
template DenseMatrix<double> dense(Matrix<double>);
template void write_array(std::span<const std::int32_t>, const std::vector<std::int64_t>&,
                          ArrayFormat, OutputFile&);
template void write_array(std::span<const float>, const std::vector<std::int64_t>&, ArrayFormat,
                          OutputFile&);
template void write_array(std::span<const double>, const std::vector<std::int64_t>&, ArrayFormat,
                          OutputFile&);
template std::string text_of(std::span<const std::int32_t>, std::int64_t);
template std::string text_of(std::span<const float>, std::int64_t);
template std::string text_of(std::span<const double>, std::int64_t);

}  // namespace bombard
