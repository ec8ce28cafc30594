#pragma once

#include <Eigen/Core>
#include <array>
#include <span>

namespace bombard {

/// Eigen's element-wise minima of 3x3 matrices that are stored one after another, to compare with.
template <class T>
std::array<T, 9> minima_reference(std::span<const T> matrices) {
  const Eigen::Map<const Eigen::Matrix<T, 9, Eigen::Dynamic>> columns(matrices.data(), 9,
                                                                      std::ssize(matrices) / 9);
  std::array<T, 9> minima;
  for (int i = 0; i < 9; ++i) minima[i] = columns.row(i).template minCoeff<Eigen::PropagateNaN>();
  return minima;
}

}  // namespace bombard
