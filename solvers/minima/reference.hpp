#pragma once

#include <Eigen/Core>
#include <array>
#include <span>

namespace bombard {

/// Eigen's element-wise minima of 3x3 matrices that are stored one after another, with which
/// `--validate` and tests compare.
template <class T>
std::array<T, 9> minima_reference(std::span<const T> matrices) {
  using Columns = Eigen::Matrix<T, 9, Eigen::Dynamic>;
  const Eigen::Map<const Columns> columns(matrices.data(), 9,
                                          static_cast<Eigen::Index>(matrices.size()) / 9);
  std::array<T, 9> minima;
  for (std::size_t i = 0; i < 9; ++i) {
    minima[i] = columns.row(static_cast<Eigen::Index>(i)).template minCoeff<Eigen::PropagateNaN>();
  }
  return minima;
}

}  // namespace bombard
