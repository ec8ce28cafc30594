#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "inputs/matrix.hpp"
#include "solvers/device_choice.hpp"

namespace bombard {

/// Strict diagonal dominance: |a_ii| > the sum of the other |a_ij| of the row (or of the column).
/// Either kind, for every row or for every column, suffices for Jacobi's iteration to converge.
struct Dominance {
  std::optional<std::int64_t> failing_row;     ///< the first that is not dominant, from 0
  std::optional<std::int64_t> failing_column;  ///< likewise
  bool suffices() const { return !failing_row || !failing_column; }
};
template <class T>
Dominance dominance(const DenseMatrix<T>& a);
template <class T>
Dominance dominance(const SparseMatrix<T>& a);

struct JacobiOptions {
  double tolerance = 1e-5;  ///< stop when max|x_new - x_old| <= tolerance * max|x_new|
  std::int64_t iteration_limit = 10'000;
  bool force = false;  ///< iterate without dominance too
  DeviceChoice device;
};

template <class T>
struct JacobiSolution {
  std::vector<T> x;
  std::int64_t iterations;
  double change;         ///< max|x_new - x_old| / max|x_new| of the last iteration
  double residual_norm;  ///< Euclidean norm of b - A x, in double
  Dominance dominance;
  bool on_gpu;
};

/// Jacobi-Richardson iteration for A x = b, T float or double: x_i += (b_i - sum_j a_ij x_j) / a_ii
/// for all i at once, from the vector of before (two vectors, so no order of rows matters).
///
/// a      n x n
/// b      n elements
/// start  n elements, or none for zeros
///
/// The same numbers every time on one device; devices sum rows in different orders and may differ
/// by rounding. Throws InputError for shapes that do not match, a diagonal element that is zero or
/// missing, values that are not finite, no dominance without `force`, and no convergence within the
/// limit (it says how far it came).
template <class T>
JacobiSolution<T> jacobi(const DenseMatrix<T>& a, std::span<const T> b, std::span<const T> start,
                         const JacobiOptions& options);
template <class T>
JacobiSolution<T> jacobi(const SparseMatrix<T>& a, std::span<const T> b, std::span<const T> start,
                         const JacobiOptions& options);

/// The same iteration as Eigen expressions in double, one thread: what `--validate` compares with.
template <class T>
JacobiSolution<double> jacobi_reference(const DenseMatrix<T>& a, std::span<const T> b,
                                        std::span<const T> start, const JacobiOptions& options);
template <class T>
JacobiSolution<double> jacobi_reference(const SparseMatrix<T>& a, std::span<const T> b,
                                        std::span<const T> start, const JacobiOptions& options);

}  // namespace bombard
