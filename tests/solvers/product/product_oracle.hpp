#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <type_traits>

#include "solvers/product/multiply.hpp"

/// Expects C to be A B within the bound on any order of sums in T: (inner + 1) units in the last
/// place of the sum of the products' magnitudes.
template <class T>
void expect_product(bombard::ProductShape shape, std::span<const T> a, std::span<const T> b,
                    std::span<const T> c) {
  const long double unit = std::is_same_v<T, float> ? 0x1p-24L : 0x1p-53L;
  for (std::int64_t i = 0; i < shape.rows; ++i) {
    for (std::int64_t j = 0; j < shape.columns; ++j) {
      long double exact = 0;
      long double sizes = 0;
      for (std::int64_t k = 0; k < shape.inner; ++k) {
        const auto product =
            static_cast<long double>(a[static_cast<std::size_t>(i * shape.inner + k)]) *
            b[static_cast<std::size_t>(k * shape.columns + j)];
        exact += product;
        sizes += std::abs(product);
      }
      ASSERT_LE(std::abs(c[static_cast<std::size_t>(i * shape.columns + j)] - exact),
                static_cast<long double>(shape.inner + 1) * unit * sizes)
          << shape.rows << " x " << shape.inner << " x " << shape.columns << " at " << i << ", "
          << j;
    }
  }
}
