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
#include "inputs/matrix_market.hpp"
#include "inputs/number_text.hpp"
#include "kernels/base/host_memory.hpp"

namespace bombard {

namespace {

/// An empty vector with room for the most numbers that a text can hold: one for each of its words,
/// including those of comments.
template <class T>
std::vector<T> room_for_numbers(const InputFile& file) {
  const std::string_view text = file.content();
  std::int64_t words = 1;
  for (std::size_t i = 1; i < text.size(); ++i) {
    words += static_cast<int>(ends_number(text[i])) & static_cast<int>(!ends_number(text[i - 1]));
  }
  require_host_memory(byte_count({words, sizeof(T)}), file.name());
  std::vector<T> numbers;
  numbers.reserve(static_cast<std::size_t>(words));
  return numbers;
}

/// The numbers of a text that holds nothing but integers of 32 bits.
std::optional<std::vector<std::int32_t>> integers_of_text(const InputFile& file) {
  using Limits = std::numeric_limits<std::int32_t>;
  auto integers = room_for_numbers<std::int32_t>(file);
  for (NumberText text(file.content(), file.name()); text.next();) {
    std::int64_t integer;
    if (!text.take_integer(integer, Limits::min(), Limits::max())) return {};
    integers.push_back(static_cast<std::int32_t>(integer));
  }
  return integers;
}

template <class T>
std::vector<T> numbers_of_text(const InputFile& file) {
  auto numbers = room_for_numbers<T>(file);
  for (NumberText text(file.content(), file.name()); text.next();) {
    numbers.push_back(text.number<T>());
  }
  return numbers;
}

/// The elements as integers of 32 bits where all are such integers.
std::optional<std::vector<std::int32_t>> as_integers(const std::vector<double>& elements,
                                                     const std::string& name) {
  const auto fits = [](double e) {
    return e >= -0x1p31 && e < 0x1p31 && e == static_cast<std::int32_t>(e) &&
           !(e == 0 && std::signbit(e));
  };
  if (!std::ranges::all_of(elements, fits)) return {};
  require_host_memory(byte_count({std::ssize(elements), sizeof(std::int32_t)}), name);
  return std::vector<std::int32_t>(elements.begin(), elements.end());
}

/// Throws InputError unless a double holds each of them.
void require_exact(std::span<const std::int64_t> elements, const std::string& name) {
  const auto is_exact = [](std::int64_t e) {
    const auto number = static_cast<double>(e);
    // 2^63 is a double, but not an std::int64_t to compare with.
    return number < 0x1p63 && static_cast<std::int64_t>(number) == e;
  };
  const auto lost = std::ranges::find_if_not(elements, is_exact);
  if (lost == elements.end()) return;
  throw InputError(fmt::format("{}: element {} is {}, more digits than a 64-bit float holds", name,
                               lost - elements.begin() + 1, *lost));
}

/// All elements of an array as T.
template <class T>
std::vector<T> elements_as(const NpyArray& array, const std::string& name) {
  std::vector<T> values;
  const auto convert = [&](const auto elements) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(elements[0])>, std::int64_t>) {
      require_exact(elements, name);
    }
    require_host_memory(byte_count({std::ssize(elements), sizeof(T)}), name);
    values.reserve(elements.size());
    for (const auto element : elements) {
      values.push_back(static_cast<T>(element));
      if (std::isinf(values.back()) && !std::isinf(static_cast<double>(element))) {
        throw InputError(
            fmt::format("{}: element {} is {}, too large for float: use precision "
                        "double",
                        name, values.size(), element));
      }
    }
  };
  std::visit(convert, array.values());
  return values;
}

void require_vector(const std::string& name, std::span<const std::int64_t> shape) {
  if (shape.size() == 1 || (shape.size() == 2 && (shape[0] == 1 || shape[1] == 1))) return;
  throw InputError(
      fmt::format("{}: this array is {}; a vector has one dimension, or one row or one column",
                  name, shape_text(shape)));
}

}  // namespace

Vector read_vector(const InputFile& file, std::optional<Precision> asked) {
  if (asked == Precision::binary32) return read_vector_as<float>(file);
  if (asked == Precision::binary64) return read_vector_as<double>(file);
  if (is_npy(file)) {
    const NpyArray array(file);
    require_vector(file.name(), array.shape());
    const Elements elements = array.values();
    if (std::get_if<std::span<const std::int32_t>>(&elements) != nullptr) {
      return elements_as<std::int32_t>(array, file.name());
    }
    if (std::get_if<std::span<const float>>(&elements) != nullptr) {
      return elements_as<float>(array, file.name());
    }
    if (std::get_if<std::span<const double>>(&elements) != nullptr) {
      return elements_as<double>(array, file.name());
    }
  } else if (!is_matrix_market(file)) {
    if (auto integers = integers_of_text(file)) return *std::move(integers);
    return numbers_of_text<double>(file);
  }
  std::vector<double> values = read_vector_as<double>(file);
  if (auto integers = as_integers(values, file.name())) return *std::move(integers);
  return values;
}

template <class T>
std::vector<T> read_vector_as(const InputFile& file) {
  if (is_matrix_market(file)) {
    require_vector(file.name(), matrix_market_shape(file));
    return read_dense_matrix<T>(file).values;
  }
  if (!is_npy(file)) return numbers_of_text<T>(file);
  const NpyArray array(file);
  require_vector(file.name(), array.shape());
  return elements_as<T>(array, file.name());
}

template <class T>
Matrix<T> read_matrix(const InputFile& file) {
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
                                 shape_text(array.shape())));
  }
  return DenseMatrix<T>{shape[0], shape[1], elements_as<T>(array, file.name())};
}

template <class T>
DenseMatrix<T> read_dense_matrix(const InputFile& file) {
  if (is_matrix_market(file)) {
    const auto [rows, columns] = matrix_market_shape(file);
    require_host_memory(byte_count({rows, columns, sizeof(T)}),
                        fmt::format("{}, with every element stored,", file.name()));
  }
  Matrix<T> matrix = read_matrix<T>(file);
  if (auto* const stored = std::get_if<DenseMatrix<T>>(&matrix)) return std::move(*stored);
  return dense(std::get<SparseMatrix<T>>(matrix));
}

namespace {

/// Gives put() each element as text with the character behind it.
template <class Put>
void put_rows(const Elements& elements, std::int64_t columns, const Put& put) {
  const auto put_all = [&]<class T>(std::span<const T> all) {
    char number[32];
    std::int64_t column = 0;
    for (const T element : all) {
      // The sign of a NaN means nothing, and differs between CPUs.
      const T shown = element != element ? std::numeric_limits<T>::quiet_NaN() : element;
      char* const end = std::to_chars(number, number + sizeof number - 1, shown).ptr;
      column = column + 1 < columns ? column + 1 : 0;
      *end = column > 0 ? ' ' : '\n';
      put(std::string_view(number, end + 1));
    }
  };
  std::visit(put_all, elements);
}

}  // namespace

void write_array(const Elements& elements, const std::vector<std::int64_t>& shape,
                 OutputFile& file) {
  const std::int64_t columns = shape.size() == 1 ? 1 : shape[1];
  if (file.path().ends_with(".npy")) return write_npy(elements, shape, file);
  if (file.path().ends_with(".mtx")) {
    return write_matrix_market(elements, shape[0], columns, file);
  }
  put_rows(elements, columns, [&](std::string_view text) { file.write(text); });
}

std::string text_of(const Elements& elements, std::int64_t columns) {
  std::string all;
  put_rows(elements, columns, [&](std::string_view text) { all += text; });
  return all;
}

Layer read_layer(const std::string& path, std::int64_t cells) {
  const InputFile file(path);
  const auto fail = [&](const std::string& problem) {
    throw InputError(fmt::format("{}: {}", file.name(), problem));
  };
  if (!is_npy(file)) {
    fail("is not a NumPy array; a layer is one, as `bombard run --layer` writes it");
  }
  const NpyArray array(file);
  if (array.shape() != std::vector<std::int64_t>{cells}) {
    fail(fmt::format("is an array of {}; a layer of {} cells has one dimension, {}",
                     shape_text(array.shape()), cells, cells));
  }
  const auto read = [&]<class T>(std::span<const T> values) -> Layer {
    if constexpr (std::is_floating_point_v<T>) {
      const auto broken = std::ranges::find_if_not(values, [](T v) { return std::isfinite(v); });
      if (broken == values.end()) return std::vector<T>(values.begin(), values.end());
      fail(fmt::format("cell {} is {}; every cell of a layer is a finite number",
                       broken - values.begin(), *broken));
    }
    fail("holds integers; a layer is float32 or float64");
    return {};
  };
  return std::visit(read, array.values());
}

template std::vector<float> read_vector_as(const InputFile&);
template std::vector<double> read_vector_as(const InputFile&);
template Matrix<float> read_matrix(const InputFile&);
template Matrix<double> read_matrix(const InputFile&);
template DenseMatrix<float> read_dense_matrix(const InputFile&);
template DenseMatrix<double> read_dense_matrix(const InputFile&);

}  // namespace bombard
