#include "bombard/solve.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace bombard::solve {
namespace {

TEST(LibrarySolve, JacobiOfADenseMatrix) {
  const std::vector<double> a{4, 1, 2, 5};
  const std::vector<double> b{6, 12};  // x = (1, 2)
  const auto result = jacobi(DenseView<double>{2, 2, a}, b, {}, {.tolerance = 1e-12});
  EXPECT_TRUE(result.converged);
  EXPECT_NEAR(result.x.at(0), 1, 1e-11);
  EXPECT_NEAR(result.x.at(1), 2, 1e-11);
  EXPECT_LT(result.relative_residual, 1e-11);
  EXPECT_FALSE(result.on_gpu);
}

TEST(LibrarySolve, JacobiOfASparseMatrix) {
  const std::vector<std::int64_t> offsets{0, 2, 4};
  const std::vector<std::int32_t> columns{0, 1, 0, 1};
  const std::vector<float> values{4, 1, 2, 5};
  const std::vector<float> b{6, 12};
  const std::vector<float> start{1, 2};
  const SparseView<float> a{2, 2, offsets, columns, values};
  const auto result = jacobi(a, b, start);
  EXPECT_EQ(result.x, start);
  EXPECT_EQ(result.iterations, 1);
  EXPECT_EQ(jacobi(a, b, {}, {.sweeps = 1}).x, (std::vector<float>{1.5F, 2.4F}));
}

TEST(LibrarySolve, RefusesWhatIsNoMatrix) {
  const std::vector<double> values{4, 1, 2};
  const std::vector<double> b{1, 1};
  EXPECT_THROW(jacobi(DenseView<double>{2, 2, values}, b), InputError);
  EXPECT_THROW(jacobi(DenseView<double>{-1, -3, values}, b), InputError);
  EXPECT_THROW(product(DenseView<double>{1, 3, values}, DenseView<double>{1, 3, values}),
               InputError);
  const auto refused = [&](const std::vector<std::int64_t>& offsets,
                           const std::vector<std::int32_t>& columns) {
    EXPECT_THROW(jacobi(SparseView<double>{2, 2, offsets, columns, values}, b), InputError);
  };
  refused({0, 2}, {0, 1, 1});
  refused({0, 2, 2}, {0, 1, 1});
  refused({1, 2, 3}, {0, 1, 1});
  refused({0, 4, 3}, {0, 1, 1});
  refused({0, 2, 3}, {0, 1});
  refused({0, 2, 3}, {1, 0, 1});
  refused({0, 2, 3}, {0, 0, 1});
  refused({0, 2, 3}, {0, 1, 2});
  refused({0, 2, 3}, {-1, 1, 1});
  refused({}, {0, 1, 1});
}

TEST(LibrarySolve, ProductAndScalarProducts) {
  const std::vector<float> a{1, 2, 3, 4, 5, 6};
  const std::vector<float> b{1, 0, 0, 1, 1, 1};
  EXPECT_EQ(product(DenseView<float>{2, 3, a}, DenseView<float>{3, 2, b}),
            (std::vector<float>{4, 5, 10, 11}));
  EXPECT_EQ(dot(DenseView<float>{3, 2, a}, DenseView<float>{3, 2, b}),
            (std::vector<double>{1, 4, 11}));
}

TEST(LibrarySolve, AnInterruptChangesNoDigitOfJacobi) {
  // Diagonally dominant, so slowly that slices of 1, 2, 4 .. sweeps pass.
  constexpr std::int64_t n = 50;
  std::vector<double> a(n * n, 1);
  for (std::int64_t i = 0; i < n; ++i) a[static_cast<std::size_t>(i * n + i)] = n;
  std::vector<double> b(n);
  for (std::int64_t i = 0; i < n; ++i) b[static_cast<std::size_t>(i)] = static_cast<double>(i % 7);
  const DenseView<double> matrix{n, n, a};
  int called = 0;
  const auto count = [&] { ++called; };
  for (const double tolerance : {1e-3, 1e-9}) {
    const auto plain = jacobi(matrix, b, {}, {.device = "cpu", .tolerance = tolerance});
    const auto asked =
        jacobi(matrix, b, {}, {.device = "cpu", .tolerance = tolerance, .interrupt = count});
    EXPECT_EQ(asked.x, plain.x);
    EXPECT_EQ(asked.iterations, plain.iterations);
    EXPECT_EQ(asked.change, plain.change);
    EXPECT_TRUE(asked.converged);
  }
  EXPECT_GT(called, 4);
  const auto seven = jacobi(matrix, b, {}, {.device = "cpu", .sweeps = 7, .interrupt = count});
  EXPECT_EQ(seven.iterations, 7);
  EXPECT_EQ(seven.x, jacobi(matrix, b, {}, {.device = "cpu", .sweeps = 7}).x);
}

TEST(LibrarySolve, WhatAnInterruptThrowsEndsTheCall) {
  const std::vector<double> a{4, 1, 2, 5};
  const std::vector<double> b{6, 12};
  const DenseView<double> matrix{2, 2, a};
  int left = 3;
  const auto enough = [&] {
    if (--left == 0) throw std::runtime_error("enough");
  };
  constexpr std::int64_t for_ever = std::int64_t{1} << 62;
  EXPECT_THROW(jacobi(matrix, b, {}, {.device = "cpu", .sweeps = for_ever, .interrupt = enough}),
               std::runtime_error);
  EXPECT_EQ(left, 0);

  // Three panels of rows of B, by several threads.
  constexpr std::int64_t n = 600;
  const std::vector<float> ones(n * n, 1);
  const DenseView<float> large{n, n, ones};
  left = 2;
  EXPECT_THROW(product(large, large, {.device = "cpu", .interrupt = enough}), std::runtime_error);
  EXPECT_EQ(left, 0);
  left = 100;
  EXPECT_EQ(product(large, large, {.device = "cpu", .interrupt = enough}),
            std::vector<float>(n * n, n));
  EXPECT_EQ(left, 97);
}

TEST(LibrarySolve, KernelsAreNamed) {
  const std::vector<float> a{1, 2, 3, 4};
  const DenseView<float> matrix{2, 2, a};
  EXPECT_THROW(product(matrix, matrix, {.kernel = "none"}), InputError);
  EXPECT_THROW(product(matrix, matrix, {.device = "cpu", .kernel = "tiled"}), InputError);
  std::vector<float> values{2, 1};
  EXPECT_THROW(sort(std::span(values), {.device = "cpu", .kernel = "none"}), InputError);
  EXPECT_FALSE(sort(std::span(values), {.device = "cpu", .kernel = "bitonic"}));
  EXPECT_EQ(values, (std::vector<float>{1, 2}));
}

TEST(LibrarySolve, SortsSumsAndFindsExtremes) {
  std::vector<std::int32_t> values{3, -1, 2};
  sort(std::span(values));
  EXPECT_EQ(values, (std::vector<std::int32_t>{-1, 2, 3}));
  sort(std::span(values), {.order = Order::descending});
  EXPECT_EQ(values, (std::vector<std::int32_t>{3, 2, -1}));
  const std::span<const std::int32_t> all = values;
  EXPECT_EQ(sum(all), 4);
  EXPECT_EQ(maximum(all), 3);
  EXPECT_EQ(sum(std::span<const double>()), 0);
  EXPECT_THROW(maximum(std::span<const double>()), InputError);
  EXPECT_THROW(sum(all, "gpu"), InputError);
}

TEST(LibrarySolve, MinimaOfMatrices) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> matrices{1, 2, 3, 4, 5,   6, 7, 8, 9,  //
                                    9, 8, 7, 6, nan, 4, 3, 2, 1};
  const std::array<float, 9> least = minima(std::span<const float>(matrices));
  EXPECT_EQ(least[0], 1);
  EXPECT_EQ(least[5], 4);
  EXPECT_TRUE(std::isnan(least[4]));
  EXPECT_EQ(least[8], 1);
  EXPECT_THROW(minima(std::span<const float>(matrices).first(10)), InputError);
  EXPECT_THROW(minima(std::span<const float>()), InputError);
}

}  // namespace
}  // namespace bombard::solve
