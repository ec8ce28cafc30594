// Jacobi's iteration on the device: by hand, and the processor's with the same steps.

#include <cmath>
#include <vector>

#include "kernels/device/device_memory.hpp"
#include "solvers/cublas.hpp"
#include "solvers/jacobi/sweeps.hpp"
#include "tests/gpu.hpp"
#include "tests/solvers/jacobi/random_systems.hpp"

using namespace bombard;

namespace {

class SmallJacobiOnGpu : public GpuTest {};

template <class T>
struct Outcome {
  std::vector<T> x;
  JacobiProgress progress;
};

template <class T>
cuda::DeviceArray<T> sent(const std::vector<T>& values) {
  return cuda::DeviceArray<T>{std::span<const T>(values)};
}

enum class Way { dense, sparse, gemv };

template <class T>
Outcome<T> on_gpu(Way way, const SparseMatrix<T>& a, const std::vector<T>& diagonal,
                  const std::vector<T>& b, std::vector<T> x, double tolerance, std::int64_t limit) {
  const auto n = static_cast<std::size_t>(a.rows);
  std::vector<T> dense(n * n);
  for (std::size_t row = 0; row < n; ++row) {
    for (auto e = static_cast<std::size_t>(a.row_offsets[row]);
         e < static_cast<std::size_t>(a.row_offsets[row + 1]); ++e) {
      dense[row * n + static_cast<std::size_t>(a.column_indices[e])] = a.values[e];
    }
  }
  const auto dense_there = sent(dense);
  const auto offsets = sent(a.row_offsets);
  const auto columns = sent(a.column_indices);
  const auto values = sent(a.values);
  const auto diagonal_there = sent(diagonal);
  const auto b_there = sent(b);
  auto x_there = sent(x);
  JacobiProgress progress;
  switch (way) {
    case Way::dense:
      progress = cuda::jacobi<T>(dense_there.span(), diagonal_there.span(), b_there.span(),
                                 x_there.span(), tolerance, limit);
      break;
    case Way::sparse:
      progress =
          cuda::jacobi<T>(CsrView<T>{offsets.span(), columns.span(), values.span()},
                          diagonal_there.span(), b_there.span(), x_there.span(), tolerance, limit);
      break;
    case Way::gemv:
      progress = cuda::jacobi_by_gemv<T>(dense_there.span(), diagonal_there.span(), b_there.span(),
                                         x_there.span(), tolerance, limit);
  }
  x_there.copy_to(x);
  return {x, progress};
}

std::vector<Way> ways() {
  if (!cuda::has_cublas()) return {Way::dense, Way::sparse};
  return {Way::dense, Way::sparse, Way::gemv};
}

TEST_F(SmallJacobiOnGpu, SweepsByHand) {
  // 4 x + y = 1, 2 x + 5 y = 2
  const SparseMatrix<double> a{2, 2, {0, 2, 4}, {0, 1, 0, 1}, {4, 1, 2, 5}};
  const std::vector<std::vector<double>> sweeps{
      {1.0 / 4, 2.0 / 5}, {3.0 / 20, 3.0 / 10}, {7.0 / 40, 17.0 / 50}};
  for (const Way way : ways()) {
    for (std::int64_t limit = 1; limit <= 3; ++limit) {
      const auto [x, progress] = on_gpu<double>(way, a, {4, 5}, {1, 2}, {0, 0}, 0, limit);
      EXPECT_EQ(progress.iterations, limit);
      EXPECT_FALSE(progress.converged);
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_NEAR(x[i], sweeps[static_cast<std::size_t>(limit - 1)][i], 1e-15);
      }
    }
    const auto [x, progress] = on_gpu<double>(way, a, {4, 5}, {1, 2}, {0, 0}, 0.118, 100);
    EXPECT_EQ(progress.iterations, 3);
    EXPECT_TRUE(progress.converged);
    EXPECT_NEAR(progress.change, 0.04 / 0.34, 1e-15);
    EXPECT_EQ(on_gpu<double>(way, a, {4, 5}, {1, 2}, {0, 0}, 0.117, 100).progress.iterations, 4);
    EXPECT_EQ(on_gpu<double>(way, a, {4, 5}, {0, 0}, {0, 0}, 1e-5, 100).progress.iterations, 1);
  }
}

TEST_F(SmallJacobiOnGpu, EndsWhenItOverflows) {
  const SparseMatrix<float> a{2, 2, {0, 2, 4}, {0, 1, 0, 1}, {1, 10, 10, 1}};
  for (const Way way : ways()) {
    const auto [x, progress] = on_gpu<float>(way, a, {1, 1}, {1, 1}, {0, 0}, 1e-5, 1000);
    EXPECT_FALSE(progress.converged);
    EXPECT_TRUE(std::isnan(progress.change));
    EXPECT_LT(progress.iterations, 60);
  }
}

/// A fixed number of sweeps here and there. Each sweep adds at most (entries of a row + 4) units
/// in the last place of 2 max|x| to the difference, and halves what there was.
template <class T>
void against_cpu(std::int64_t n, std::int64_t entries) {
  const SparseMatrix<T> a = dominant_sparse<T>(n, entries, static_cast<unsigned>(n));
  std::vector<T> diagonal;
  for (std::size_t row = 0; row < static_cast<std::size_t>(n); ++row) {
    for (auto e = static_cast<std::size_t>(a.row_offsets[row]);
         e < static_cast<std::size_t>(a.row_offsets[row + 1]); ++e) {
      if (a.column_indices[e] == static_cast<std::int32_t>(row)) diagonal.push_back(a.values[e]);
    }
  }
  const auto b = random_values<T>(n, 7);
  const auto start = random_values<T>(n, 8);
  const std::int64_t limit = 9;
  const double never = -1;  // a tolerance that not even a change of 0 reaches
  std::vector<T> expected = start;
  cpu::jacobi<T>(CsrView<T>{a.row_offsets, a.column_indices, a.values}, diagonal, b, expected,
                 never, limit);
  double largest = 0;
  for (const T value : expected) largest = std::max(largest, std::abs(static_cast<double>(value)));
  for (const T value : start) largest = std::max(largest, std::abs(static_cast<double>(value)));
  for (std::size_t i = 0; i < b.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(b[i]) / diagonal[i]));
  }
  const double unit = std::is_same_v<T, float> ? 0x1p-23 : 0x1p-52;
  const double bound = 4 * static_cast<double>(entries + 5) * unit * 2 * largest;
  for (const Way way : ways()) {
    const auto [x, progress] = on_gpu<T>(way, a, diagonal, b, start, never, limit);
    EXPECT_EQ(progress.iterations, limit);
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_NEAR(x[i], expected[i], bound) << n << " x " << entries << " at " << i;
    }
    EXPECT_EQ(on_gpu<T>(way, a, diagonal, b, start, never, limit).x, x) << "not the same twice";
  }
}

TEST_F(SmallJacobiOnGpu, AgainstTheProcessor) {
  for (const std::int64_t n : {1, 2, 3, 31, 32, 33, 127, 512, 513}) {
    for (const std::int64_t entries : {1, 4, 10, 20, 600}) {
      against_cpu<float>(n, std::min(n, entries));
      against_cpu<double>(n, std::min(n, entries));
    }
  }
}

// 1500: more than one row a block. 4000, 4001: rows from device memory, aligned and not.
TEST_F(GpuTest, JacobiOfEverySize) {
  for (const std::int64_t n : {1025, 1500, 4000, 4001}) {
    against_cpu<float>(n, 50);
    against_cpu<double>(n, 30);
  }
}

TEST_F(GpuTest, JacobiConvergesInTheSameStepsOnTheDevice) {
  const std::int64_t n = 512;
  const DenseMatrix<double> a = dominant_dense<double>(n, 4);
  std::vector<double> diagonal;
  for (std::int64_t i = 0; i < n; ++i) {
    diagonal.push_back(a.values[static_cast<std::size_t>(i * n + i)]);
  }
  const auto b = random_values<double>(n, 5);
  std::vector<double> expected(n);
  const JacobiProgress host = cpu::jacobi<double>(a.values, diagonal, b, expected, 1e-10, 1000);
  auto x = sent(std::vector<double>(n));
  const JacobiProgress device = cuda::jacobi<double>(sent(a.values).span(), sent(diagonal).span(),
                                                     sent(b).span(), x.span(), 1e-10, 1000);
  EXPECT_TRUE(device.converged);
  EXPECT_EQ(device.iterations, host.iterations);
}

}  // namespace
