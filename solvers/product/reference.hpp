#pragma once

#include "inputs/matrix.hpp"

namespace bombard {

/// Eigen's product in double, which `--validate` and tests compare with.
template <class T>
DenseMatrix<double> product_reference(const DenseMatrix<T>& a, const DenseMatrix<T>& b);

}  // namespace bombard
