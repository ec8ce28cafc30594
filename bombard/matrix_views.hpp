#pragma once

#include <cstdint>
#include <span>

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

}  // namespace bombard
