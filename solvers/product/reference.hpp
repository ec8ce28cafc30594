#pragma once

#include <vector>

#include "solvers/eigen_views.hpp"

namespace bombard {

/// Eigen's product in double, row by row, with which `--validate` and tests compare.
template <class T>
std::vector<double> product_reference(const DenseView<T>& a, const DenseView<T>& b) {
  std::vector<double> c(static_cast<std::size_t>(a.rows * b.columns));
  Eigen::Map<RowMajor<double>>(c.data(), a.rows, b.columns).noalias() =
      in_eigen(a).template cast<double>() * in_eigen(b).template cast<double>();
  return c;
}

}  // namespace bombard
