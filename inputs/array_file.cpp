#include "inputs/array_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "bombard/errors.hpp"
#include "inputs/byte_count.hpp"
#include "inputs/matrix_market.hpp"
#include "inputs/number_text.hpp"
#include "inputs/write_line.hpp"
#include "kernels/base/host_memory.hpp"

namespace bombard {

namespace {

/// The numbers of a text.
template <class T>
std::vector<T> numbers_of_text(const InputFile& file) {
  std::int64_t most = 0;  // a comma can look like one more
  for (NumberText text(file.content(), file.name()); text.next(); text.skip(text.token().size())) {
    ++most;
  }
  require_host_memory(byte_count({most, sizeof(T)}), file.name());
  std::vector<T> numbers;
  numbers.reserve(static_cast<std::size_t>(most));
  for (NumberText text(file.content(), file.name()); text.next();) {
    numbers.push_back(text.number<T>());
  }
  return numbers;
}

/// Integers of 32 bits where all are such integers, and not -0.
Vector in_integers_if_exact(std::vector<double> elements) {
  const auto fits = [](double e) {
    return e >= -0x1p31 && e < 0x1p31 && e == static_cast<std::int32_t>(e) &&
           !(e == 0 && std::signbit(e));
  };
  if (!std::ranges::all_of(elements, fits)) return elements;
  return std::vector<std::int32_t>(elements.begin(), elements.end());
}

/// All elements of an array as T.
template <class T>
std::vector<T> elements_as(const NpyArray& array, const std::string& name) {
  std::vector<T> values;
  const auto convert = [&]<class Element>(const std::span<const Element> elements) {
    require_host_memory(byte_count({std::ssize(elements), sizeof(T)}), name);
    values.reserve(elements.size());
    for (const Element element : elements) {
      const auto fail = [&](const char* problem) {
        throw InputError(
            fmt::format("{}: element {} is {}, {}", name, values.size() + 1, element, problem));
      };
      const auto number = static_cast<double>(element);
      // A long double holds every integer of 64 bits, and the double that is nearest to it.
      if (std::is_integral_v<Element> &&
          static_cast<long double>(number) != static_cast<long double>(element)) {
        fail("more digits than a 64-bit float holds");
      }
      const T value = static_cast<T>(element);
      if (std::isinf(value) && !std::isinf(number)) {
        fail("too large for float: use precision double");
      }
      values.push_back(value);
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

/// The matrix with every element stored.
template <class T>
DenseMatrix<T> all_elements(Matrix<T> matrix, const std::string& name) {
  if (auto* const stored = std::get_if<DenseMatrix<T>>(&matrix)) return std::move(*stored);
  const auto& sparse = std::get<SparseMatrix<T>>(matrix);
  require_host_memory(byte_count({sparse.rows, sparse.columns, sizeof(T)}),
                      fmt::format("{}, with every element stored,", name));
  return dense(sparse);
}

/// Gives put() each element as text with the character behind it.
template <class Put>
void put_rows(const Elements& elements, std::int64_t columns, const Put& put) {
  const auto put_all = [&]<class T>(std::span<const T> all) {
    char number[32];
    std::int64_t column = 0;
    for (const T element : all) {
      char* const end =
          std::to_chars(number, number + sizeof number - 1, without_sign_of_nan(element)).ptr;
      column = column + 1 < columns ? column + 1 : 0;
      *end = column > 0 ? ' ' : '\n';
      put(std::string_view(number, end + 1));
    }
  };
  std::visit(put_all, elements);
}

}  // namespace

Vector elements_of(const NpyArray& array, const std::string& name) {
  const Elements elements = array.values();
  if (std::holds_alternative<std::span<const float>>(elements)) {
    return elements_as<float>(array, name);
  }
  std::vector<double> values = elements_as<double>(array, name);
  if (std::holds_alternative<std::span<const double>>(elements)) return values;
  return in_integers_if_exact(std::move(values));
}

Vector read_vector(const InputFile& file, std::optional<Precision> asked) {
  if (asked == Precision::binary32) return read_vector_as<float>(file);
  if (asked == Precision::binary64) return read_vector_as<double>(file);
  if (!is_npy(file)) return in_integers_if_exact(read_vector_as<double>(file));
  const NpyArray array(file);
  require_vector(file.name(), array.shape());
  return elements_of(array, file.name());
}

template <class T>
std::vector<T> read_vector_as(const InputFile& file) {
  if (is_matrix_market(file)) {
    const Matrix<T> matrix = read_matrix_market<T>(file);
    const auto shape_of = [](const auto& m) { return std::array{m.rows, m.columns}; };
    require_vector(file.name(), std::visit(shape_of, matrix));
    return all_elements(matrix, file.name()).values;
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
  return all_elements(read_matrix<T>(file), file.name());
}

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
