#pragma once

#include <span>

namespace bombard {

/// |b - A x| / |b|, Euclidean, in double, for numbers of any size; 0 when the residual is 0. A is a
/// DenseView or a SparseView of T.
template <class Matrix, class T>
double relative_residual(const Matrix& a, std::span<const T> b, std::span<const double> x);

}  // namespace bombard
