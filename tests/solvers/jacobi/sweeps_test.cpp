// Jacobi's iteration on the processor: sweeps written out, and where it stops.

#include "solvers/jacobi/sweeps.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <vector>

#include "kernels/base/instruction_set.hpp"
#include "tests/kernels/base/random_values.hpp"

using namespace bombard;

namespace {

// 4 x + y = 1, 2 x + 5 y = 2. From zero: (1/4, 2/5), (3/20, 3/10), (7/40, 17/50) ...
const std::vector<double> a{4, 1, 2, 5};
const std::vector<double> diagonal{4, 5};
const std::vector<double> b{1, 2};
const std::vector<std::int64_t> row_offsets{0, 2, 4};
const std::vector<std::int32_t> column_indices{0, 1, 0, 1};

TEST(JacobiKernel, SweepsByHand) {
  const std::vector<std::vector<double>> sweeps{
      {1.0 / 4, 2.0 / 5}, {3.0 / 20, 3.0 / 10}, {7.0 / 40, 17.0 / 50}};
  for (std::int64_t limit = 1; limit <= 3; ++limit) {
    std::vector<double> x{0, 0};
    const JacobiProgress dense = cpu::jacobi<double>(a, diagonal, b, x, 0, limit);
    EXPECT_EQ(dense.iterations, limit);
    EXPECT_FALSE(dense.converged);
    std::vector<double> y{0, 0};
    cpu::jacobi<double>(CsrView<double>{row_offsets, column_indices, a}, diagonal, b, y, 0, limit);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(x[i], sweeps[static_cast<std::size_t>(limit - 1)][i], 1e-15);
      EXPECT_NEAR(y[i], sweeps[static_cast<std::size_t>(limit - 1)][i], 1e-15);
    }
  }
}

TEST(JacobiKernel, StopsAtTheTolerance) {
  // The third sweep changes y by 0.04 of 0.34.
  std::vector<double> x{0, 0};
  const JacobiProgress progress = cpu::jacobi<double>(a, diagonal, b, x, 0.118, 100);
  EXPECT_EQ(progress.iterations, 3);
  EXPECT_TRUE(progress.converged);
  EXPECT_NEAR(progress.change, 0.04 / 0.34, 1e-15);
  x = {0, 0};
  EXPECT_EQ(cpu::jacobi<double>(a, diagonal, b, x, 0.117, 100).iterations, 4);
}

TEST(JacobiKernel, ZeroIsFoundAtOnce) {
  std::vector<double> x{0, 0};
  const JacobiProgress progress =
      cpu::jacobi<double>(a, diagonal, std::vector<double>{0, 0}, x, 1e-5, 100);
  EXPECT_EQ(progress.iterations, 1);
  EXPECT_TRUE(progress.converged);
  EXPECT_EQ(progress.change, 0);
}

TEST(JacobiKernel, EndsWhenItOverflows) {
  std::vector<float> x{0, 0};
  const JacobiProgress progress =
      cpu::jacobi<float>(std::vector<float>{1, 10, 10, 1}, std::vector<float>{1, 1},
                         std::vector<float>{1, 1}, x, 1e-5, 1000);
  EXPECT_FALSE(progress.converged);
  EXPECT_TRUE(std::isnan(progress.change));
  EXPECT_LT(progress.iterations, 60);
}

TEST(JacobiKernel, NaNIsNotLostBesideNumbers) {
  std::vector<double> x{std::nan(""), 1};
  const JacobiProgress progress =
      cpu::jacobi<double>(std::vector<double>{2, 0, 0, 2}, std::vector<double>{2, 2},
                          std::vector<double>{2, 2}, x, 1e-5, 100);
  EXPECT_EQ(progress.iterations, 1);
  EXPECT_FALSE(progress.converged);
  EXPECT_TRUE(std::isnan(progress.change));
}

/// One sweep of a random system from a random vector, against a long double loop: the bound on any
/// order of sums.
template <class T>
void one_sweep(std::int64_t n) {
  auto a = random_values<T>(n * n, 1);
  const auto b = random_values<T>(n, 2);
  const auto start = random_values<T>(n, 3);
  std::vector<T> diagonal(static_cast<std::size_t>(n));
  std::vector<std::int64_t> row_offsets{0};
  std::vector<std::int32_t> column_indices;
  for (std::int64_t i = 0; i < n; ++i) {
    diagonal[static_cast<std::size_t>(i)] = a[static_cast<std::size_t>(i * n + i)] += 3;
    row_offsets.push_back((i + 1) * n);
    for (std::int64_t j = 0; j < n; ++j) column_indices.push_back(static_cast<std::int32_t>(j));
  }
  std::vector<T> x = start;
  std::vector<T> y = start;
  cpu::jacobi<T>(a, diagonal, b, x, 0, 1);
  cpu::jacobi<T>(CsrView<T>{row_offsets, column_indices, a}, diagonal, b, y, 0, 1);
  const long double unit = std::is_same_v<T, float> ? 0x1p-24L : 0x1p-53L;
  for (std::int64_t i = 0; i < n; ++i) {
    long double sum = 0;
    long double sizes = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      const auto product = static_cast<long double>(a[static_cast<std::size_t>(i * n + j)]) *
                           start[static_cast<std::size_t>(j)];
      sum += product;
      sizes += std::abs(product);
    }
    const auto row = static_cast<std::size_t>(i);
    const long double expected = start[row] + (b[row] - sum) / diagonal[row];
    const long double bound = static_cast<long double>(n + 6) * unit *
                              ((sizes + std::abs(static_cast<long double>(b[row]))) /
                                   std::abs(static_cast<long double>(diagonal[row])) +
                               std::abs(static_cast<long double>(start[row])));
    EXPECT_LE(std::abs(x[row] - expected), bound) << n << " row " << i;
    EXPECT_LE(std::abs(y[row] - expected), bound) << n << " row " << i << " sparse";
  }
}

// Large enough to run on several threads, of a size that they cannot share out evenly.
TEST(JacobiKernel, TheSameBitsOnAnyNumberOfThreads) {
  const std::int64_t n = 1013;
  auto a = random_values<float>(n * n, 1);
  const auto b = random_values<float>(n, 2);
  std::vector<float> diagonal(static_cast<std::size_t>(n), 1000);
  for (std::int64_t i = 0; i < n; ++i) a[static_cast<std::size_t>(i * n + i)] = 1000;
  const int threads_before = omp_get_max_threads();
  std::vector<float> expected;
  for (const int threads : {1, 2, 3, 7}) {
    omp_set_num_threads(threads);
    std::vector<float> x(static_cast<std::size_t>(n), 0);
    const auto progress = cpu::jacobi<float>(a, diagonal, b, x, 1e-6, 100);
    EXPECT_TRUE(progress.converged);
    if (threads == 1) expected = x;
    EXPECT_EQ(x, expected) << threads << " threads";
  }
  omp_set_num_threads(threads_before);
}

TEST(JacobiKernel, ASweepAgainstALoopWithEveryInstructionSet) {
  for (const auto name : cpu::offered_instruction_sets()) {
    SCOPED_TRACE(name);
    cpu::use_instruction_set(name);
    for (const std::int64_t n : {1, 2, 3, 31, 64, 65, 127, 513}) {
      one_sweep<float>(n);
      one_sweep<double>(n);
    }
  }
  cpu::use_instruction_set(cpu::offered_instruction_sets().front());
}

}  // namespace
