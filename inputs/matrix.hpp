#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "bombard/matrix_views.hpp"
#include "inputs/byte_count.hpp"

namespace bombard {

/// A matrix with every element stored: values[row * columns + column], rows * columns of them.
template <class T>
struct DenseMatrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<T> values;

  // A view takes no memory and loses nothing. NOLINTNEXTLINE(google-explicit-constructor)
  operator DenseView<T>() const { return {rows, columns, values}; }
};

/// A matrix with the entries of its rows stored (CSR): row r's entries stand at
/// row_offsets[r] .. row_offsets[r + 1], by ascending column, each column at most once.
/// row_offsets has rows + 1 elements, column_indices and values have row_offsets[rows].
template <class T>
struct SparseMatrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<std::int64_t> row_offsets;
  std::vector<std::int32_t> column_indices;
  std::vector<T> values;

  // NOLINTNEXTLINE(google-explicit-constructor)
  operator SparseView<T>() const { return {rows, columns, row_offsets, column_indices, values}; }
};

/// The matrix with every element stored. Throws std::bad_alloc when it does not fit in memory.
template <class T>
DenseMatrix<T> dense(const SparseMatrix<T>& sparse) {
  DenseMatrix<T> all{sparse.rows, sparse.columns, {}};
  all.values.resize(static_cast<std::size_t>(byte_count({sparse.rows, sparse.columns})));
  for (std::int64_t row = 0; row < sparse.rows; ++row) {
    for (std::int64_t e = sparse.row_offsets[row]; e < sparse.row_offsets[row + 1]; ++e) {
      all.values[row * sparse.columns + sparse.column_indices[e]] = sparse.values[e];
    }
  }
  return all;
}

/// A matrix as its file stores it.
template <class T>
using Matrix = std::variant<DenseMatrix<T>, SparseMatrix<T>>;

}  // namespace bombard
