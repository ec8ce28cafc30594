#pragma once

#include <fmt/format.h>

#include <Eigen/Core>

#include "bombard/errors.hpp"
#include "bombard/matrices.hpp"
#include "inputs/byte_count.hpp"

/// Matrices in memory: whether they are what their views say, and as Eigen sees them.
namespace bombard {

/// Throws InputError unless the matrix is what its view says.
template <class T>
void check_view(const DenseView<T>& a) {
  if (a.rows >= 0 && a.columns >= 0 &&
      static_cast<std::int64_t>(a.values.size()) == byte_count({a.rows, a.columns})) {
    return;
  }
  throw InputError(
      fmt::format("{} values are not a matrix of {} x {}", a.values.size(), a.rows, a.columns));
}

template <class T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T>
Eigen::Map<const RowMajor<T>> in_eigen(const DenseView<T>& a) {
  return {a.values.data(), a.rows, a.columns};
}

template <class T>
Eigen::Map<const Eigen::VectorX<T>> in_eigen(std::span<const T> values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

}  // namespace bombard
