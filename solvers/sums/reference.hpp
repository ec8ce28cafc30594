#pragma once

#include <vector>

#include "solvers/eigen_views.hpp"

namespace bombard {

/// Eigen's scalar products of rows in double, with which `--validate` and tests compare.
template <class T>
std::vector<double> dot_reference(const DenseView<T>& a, const DenseView<T>& b) {
  const auto products =
      in_eigen(a).template cast<double>().cwiseProduct(in_eigen(b).template cast<double>());
  const Eigen::VectorXd dots = products.rowwise().sum();
  return {dots.begin(), dots.end()};
}

}  // namespace bombard
