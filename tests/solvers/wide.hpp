#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "solvers/matrices.hpp"

/// Numbers in long double, by whose sums those of kernels are judged.
using Wide = bombard::RowMajor<long double>;

template <class T>
Wide wide(std::int64_t rows, std::int64_t columns, const std::vector<T>& values) {
  return bombard::in_eigen<T>({rows, columns, values}).template cast<long double>();
}

/// Half a unit in the last place of 1.
template <class T>
constexpr long double unit_roundoff = std::numeric_limits<T>::epsilon() / 2;

/// Expects each number to be off by no more than its bound.
template <class T>
void expect_within(const std::vector<T>& found, const Wide& exact, const Wide& bound) {
  ASSERT_EQ(std::ssize(found), exact.size());
  const Wide excess = (wide(exact.rows(), exact.cols(), found) - exact).cwiseAbs() - bound;
  Eigen::Index row = 0, column = 0;
  EXPECT_LE(excess.maxCoeff<Eigen::PropagateNaN>(&row, &column), 0) << row << ", " << column;
}
