#pragma once

#include <vector>

#include "inputs/matrix.hpp"

namespace bombard {

/// Eigen's scalar products in double, which `--validate` and tests compare with.
template <class T>
std::vector<double> row_dots_reference(const DenseMatrix<T>& a, const DenseMatrix<T>& b);

}  // namespace bombard
