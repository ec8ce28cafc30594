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
#include "inputs/mapped_file.hpp"
#include "inputs/matrix_market.hpp"
#include "inputs/npy.hpp"
#include "inputs/number_text.hpp"
#include "kernels/base/host_memory.hpp"

namespace bombard {

namespace {

/// Hands on what next() gives until it gives nothing, elements_together at a time.
template <class T, class Next>
void hand_on(const TakeElements<T>& take, Next next) {
  std::vector<T> piece;
  piece.reserve(elements_together);
  while (const std::optional<T> element = next()) {
    piece.push_back(*element);
    if (piece.size() < elements_together) continue;
    take(piece);
    piece.clear();
  }
  take(piece);
}

/// Whether a token is an integer that the double nearest to it does not give back.
bool loses_digits(std::string_view token, double value) {
  if (token.size() <= std::numeric_limits<double>::digits10) return false;
  if (token.front() == '-' || token.front() == '+') token.remove_prefix(1);
  token.remove_prefix(std::min(token.find_first_not_of('0'), token.size()));
  return token.find_first_not_of("0123456789") == std::string_view::npos &&
         fmt::format("{:.0f}", std::abs(value)) != (token.empty() ? "0" : token);
}

/// Takes an integer of type T; nothing where the number is none.
template <class T>
std::optional<T> integer_in(NumberText& numbers) try {
  using Limits = std::numeric_limits<T>;
  return static_cast<T>(numbers.integer("", Limits::min(), Limits::max()));
} catch (const InputError&) {
  return {};
}

/// Hands on the numbers of a text. Its own type is the one of integers where all numbers are, else
/// double, which must hold its integers.
template <class T>
bool take_text(const MappedFile& file, ElementType type, const TakeElements<T>& take) {
  if (type == ElementType::own && std::is_same_v<T, float>) return false;
  NumberText numbers(file.content(), file.name());
  hand_on(take, [&]() -> std::optional<T> {
    if (!numbers.next()) return {};
    if constexpr (std::is_integral_v<T>) {
      return integer_in<T>(numbers);
    } else {
      const std::string_view token = numbers.token();
      NumberToken<T> number = parse_number<T>(token, "value");
      if (type == ElementType::own && loses_digits(token, number.value)) {
        number.problem =
            fmt::format("value {} has more digits than a 64-bit float holds", quoted(token));
      }
      if (!number.problem.empty()) numbers.fail(number.problem);
      numbers.take_token();
      return number.value;
    }
  });
  return numbers.rest().empty();
}

/// The most numbers that a text can hold: its words, those of comments among them.
std::int64_t most_numbers(std::string_view text) {
  std::int64_t words = 1;
  for (std::size_t i = 1; i < text.size(); ++i) {
    words += static_cast<int>(ends_number(text[i])) & static_cast<int>(!ends_number(text[i - 1]));
  }
  return words;
}

void require_vector(const std::string& name, std::span<const std::int64_t> shape) {
  if (shape.size() == 1 || (shape.size() == 2 && (shape[0] == 1 || shape[1] == 1))) return;
  throw InputError(
      fmt::format("{}: this array is {}; a vector has one dimension, or one row or one column",
                  name, fmt::join(shape, " x ")));
}

/// An element of a file as T.
template <class T, class Stored>
T converted(Stored element, std::size_t index, const std::string& name) {
  const T value = static_cast<T>(element);
  if (std::isinf(value) && !std::isinf(static_cast<double>(element))) {
    throw InputError(
        fmt::format("{}: element {} is {}, too large for float: use --precision double", name,
                    index + 1, element));
  }
  return value;
}

/// Whether T is the simplest type that holds integers of 64 bits: the type of 32 bits where all
/// fit, else double, which must hold each exactly.
template <class T>
bool is_simplest_type(std::span<const std::int64_t> elements, const std::string& name) {
  const auto fits = [](std::int64_t e) { return e == static_cast<std::int32_t>(e); };
  const bool all_fit = std::ranges::all_of(elements, fits);
  if (!std::is_same_v<T, double>) return all_fit && std::is_same_v<T, std::int32_t>;
  if (all_fit) return false;
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
  return true;
}

/// Hands on the elements of a NumPy array.
template <class T>
bool take_npy(const MappedFile& file, ElementType type, const TakeElements<T>& take) {
  const NpyArray array(file);
  require_vector(file.name(), array.shape());
  return std::visit(
      [&]<class Stored>(std::span<const Stored> elements) {
        if constexpr (std::is_same_v<T, Stored>) {
          take(elements);
          return true;
        } else {
          if (type == ElementType::own) {
            if constexpr (std::is_same_v<Stored, std::int64_t>) {
              if (!is_simplest_type<T>(elements, file.name())) return false;
            } else {
              return false;
            }
          }
          std::size_t i = 0;
          hand_on(take, [&]() -> std::optional<T> {
            if (i == elements.size()) return {};
            const T element = converted<T>(elements[i], i, file.name());
            ++i;
            return element;
          });
          return true;
        }
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

/// Hands on the elements of a matrix of one row or one column, whose own type is found as a text's.
template <class T>
bool take_matrix_market(const MappedFile& file, ElementType type, const TakeElements<T>& take) {
  if (type == ElementType::own && std::is_same_v<T, float>) return false;
  using Stored = std::conditional_t<std::is_same_v<T, float>, float, double>;
  require_vector(file.name(), matrix_market_shape(file));
  const std::vector<Stored> values = read_dense_matrix<Stored>(file).values;
  if constexpr (!std::is_same_v<T, float>) {
    if (type == ElementType::own && are_integers(values) != std::is_same_v<T, std::int32_t>) {
      return false;
    }
  }
  hand_on(take, [at = values.begin(), end = values.end()]() mutable -> std::optional<T> {
    if (at == end) return {};
    return static_cast<T>(*at++);
  });
  return true;
}

/// Elements that a vector's file can hold at most.
std::int64_t most_elements(const MappedFile& file) {
  if (is_npy(file)) {
    const NpyArray array(file);
    return std::visit([](auto e) { return static_cast<std::int64_t>(e.size()); }, array.values());
  }
  if (!is_matrix_market(file)) return most_numbers(file.content());
  const auto [rows, columns] = matrix_market_shape(file);
  return rows * columns;
}

/// All elements of a vector's file; nothing where T is not its type.
template <class T>
std::optional<std::vector<T>> elements_of(const MappedFile& file, ElementType type) {
  std::vector<T> values;
  const TakeElements<T> append = [&](std::span<const T> piece) {
    if (values.capacity() == 0) {
      const std::int64_t most = most_elements(file);
      require_host_memory(byte_count({most, sizeof(T)}), file.name());
      values.reserve(static_cast<std::size_t>(most));
    }
    values.insert(values.end(), piece.begin(), piece.end());
  };
  if (!read_vector_in_pieces<T>(file, type, append)) return {};
  return values;
}

}  // namespace

template <class T>
bool read_vector_in_pieces(const MappedFile& file, ElementType type, const TakeElements<T>& take) {
  if (is_npy(file)) return take_npy<T>(file, type, take);
  if (is_matrix_market(file)) return take_matrix_market<T>(file, type, take);
  return take_text(file, type, take);
}

Vector read_vector(const MappedFile& file) {
  if (auto integers = elements_of<std::int32_t>(file, ElementType::own))
    return *std::move(integers);
  if (auto floats = elements_of<float>(file, ElementType::own)) return *std::move(floats);
  return *elements_of<double>(file, ElementType::own);
}

template <class T>
std::vector<T> read_vector_as(const MappedFile& file) {
  return *elements_of<T>(file, ElementType::asked);
}

template <class T>
Matrix<T> read_matrix(const MappedFile& file) {
  if (is_matrix_market(file)) return read_matrix_market<T>(file);
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
  require_host_memory(byte_count({shape[0], shape[1], sizeof(T)}), file.name());
  DenseMatrix<T> matrix{shape[0], shape[1], {}};
  std::visit(
      [&](const auto elements) {
        matrix.values.reserve(elements.size());
        for (std::size_t i = 0; i < elements.size(); ++i) {
          matrix.values.push_back(converted<T>(elements[i], i, file.name()));
        }
      },
      array.values());
  return matrix;
}

template <class T>
DenseMatrix<T> read_dense_matrix(const MappedFile& file) {
  if (is_matrix_market(file)) {
    const auto [rows, columns] = matrix_market_shape(file);
    require_host_memory(byte_count({rows, columns, sizeof(T)}),
                        fmt::format("{}, with every element stored,", file.name()));
  }
  return dense(read_matrix<T>(file));
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

template bool read_vector_in_pieces(const MappedFile&, ElementType,
                                    const TakeElements<std::int32_t>&);
template bool read_vector_in_pieces(const MappedFile&, ElementType, const TakeElements<float>&);
template bool read_vector_in_pieces(const MappedFile&, ElementType, const TakeElements<double>&);
template std::vector<float> read_vector_as(const MappedFile&);
template std::vector<double> read_vector_as(const MappedFile&);
template Matrix<float> read_matrix(const MappedFile&);
template Matrix<double> read_matrix(const MappedFile&);
template DenseMatrix<float> read_dense_matrix(const MappedFile&);
template DenseMatrix<double> read_dense_matrix(const MappedFile&);
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
