#pragma once

#include <cmath>
#include <cstdint>

#include "inputs/matrix.hpp"
#include "tests/kernels/base/random_values.hpp"

/// A random n x n matrix with up to `entries` elements in a row, at columns spread over the whole
/// row, whose others add up to half of the diagonal one: each sweep of Jacobi halves the error at
/// least.
template <class T>
bombard::SparseMatrix<T> dominant_sparse(std::int64_t n, std::int64_t entries, unsigned seed) {
  bombard::SparseMatrix<T> a{n, n, {0}, {}, {}};
  const auto values = random_values<T>(n * (entries + 1), seed);
  const std::int64_t step = n / entries + 1;
  for (std::int64_t row = 0; row < n; ++row) {
    double others = 0;
    std::size_t diagonal = 0;
    for (std::int64_t column = row % step; column < n || column <= row; ++column) {
      const bool wanted = column % step == row % step;
      if (!wanted && column != row) continue;
      if (column == row) {
        diagonal = a.values.size();
      } else {
        others += std::abs(
            static_cast<double>(values[static_cast<std::size_t>(row * entries + column / step)]));
      }
      a.column_indices.push_back(static_cast<std::int32_t>(column));
      a.values.push_back(values[static_cast<std::size_t>(row * entries + column / step)]);
    }
    a.values[diagonal] = static_cast<T>((row % 2 == 0 ? 2 : -2) * (others + 0.01));
    a.row_offsets.push_back(static_cast<std::int64_t>(a.values.size()));
  }
  return a;
}
