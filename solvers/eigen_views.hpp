#pragma once

#include <Eigen/Core>

#include "bombard/matrix_views.hpp"

/// Arrays as Eigen sees them, for the programs that solvers are compared with.
namespace bombard {

template <class T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T>
Eigen::Map<const RowMajor<T>> in_eigen(const DenseView<T>& a) {
  return {a.values.data(), a.rows, a.columns};
}

}  // namespace bombard
