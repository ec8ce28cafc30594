#pragma once

#include <cstdint>
#include <span>

/// Scalar products of pairs of rows: dots[i] = sum over j of a[i][j] * b[i][j]. T float or double;
/// products and sums in double, sums compensated (kernels/reduction/compensated_sum.hpp): what is
/// left is the rounding of the products. Deterministic on a device.
///
/// a, b  dots.size() rows of `columns` elements
namespace bombard::cpu {
template <class T>
void row_dots(std::int64_t columns, std::span<const T> a, std::span<const T> b,
              std::span<double> dots);
}

/// Spans of device memory; returns once launched.
namespace bombard::cuda {
/// One launch. `threads` a row: 32 (then 8 rows a block), 128, 256, 512 or 1024; 0 takes what suits
/// the shape.
template <class T>
void row_dots(std::int64_t columns, std::span<const T> a, std::span<const T> b,
              std::span<double> dots, int threads = 0);

/// cuBLAS, for comparison: a batch of 1 x columns by columns x 1 products, sums in T. Throws
/// CannotRun where it is not installed.
template <class T>
void cublas_row_dots(std::int64_t columns, std::span<const T> a, std::span<const T> b,
                     std::span<T> dots);
}  // namespace bombard::cuda
