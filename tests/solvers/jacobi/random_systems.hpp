#pragma once

#include "solvers/generation.hpp"

/// A random n x n matrix with up to `entries` elements in a row, whose others add up to half of the
/// diagonal one, which is negative in every second row: each sweep of Jacobi halves the error.
template <class T>
bombard::SparseMatrix<T> dominant_sparse(std::int64_t n, std::int64_t entries, unsigned seed) {
  const auto a = bombard::generate_sparse_system(n, entries - 1, seed);
  bombard::SparseMatrix<T> b{n, n, a.row_offsets, a.column_indices, {}};
  for (std::int64_t row = 0; row < n; ++row) {
    const T sign = row % 2 == 0 ? 1 : -1;
    for (std::int64_t entry = a.row_offsets[row]; entry < a.row_offsets[row + 1]; ++entry) {
      b.values.push_back(sign * static_cast<T>(a.values[entry]));
    }
  }
  return b;
}
