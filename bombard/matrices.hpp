#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace bombard {

/// A matrix with every element stored, row by row: values[row * columns + column].
template <class T>
struct DenseView {
  std::int64_t rows = 0, columns = 0;
  std::span<const T> values = {};  ///< rows * columns
};

/// A matrix with the entries of its rows stored (CSR): the entries of row r are row_offsets[r] to
/// row_offsets[r + 1] - 1, by ascending column, each column at most once.
template <class T>
struct SparseView {
  std::int64_t rows = 0, columns = 0;
  std::span<const std::int64_t> row_offsets = {};     ///< rows + 1
  std::span<const std::int32_t> column_indices = {};  ///< one for each value
  std::span<const T> values = {};
};

/// What a DenseView views.
template <class T>
struct DenseMatrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<T> values;

  // A view takes no memory and loses nothing. NOLINTNEXTLINE(google-explicit-constructor)
  operator DenseView<T>() const { return {rows, columns, values}; }
};

/// What a SparseView views.
template <class T>
struct SparseMatrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<std::int64_t> row_offsets;
  std::vector<std::int32_t> column_indices;
  std::vector<T> values;

  // NOLINTNEXTLINE(google-explicit-constructor)
  operator SparseView<T>() const { return {rows, columns, row_offsets, column_indices, values}; }
};

/// A matrix as its file stores it.
template <class T>
using Matrix = std::variant<DenseMatrix<T>, SparseMatrix<T>>;

}  // namespace bombard
