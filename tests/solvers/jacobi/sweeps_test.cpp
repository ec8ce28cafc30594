// Jacobi's iteration: sweeps written out, where it stops, and one sweep against a long double loop.

#include "solvers/jacobi/sweeps.hpp"

#include <omp.h>

#include <cmath>
#include <vector>

#include "inputs/array_file.hpp"
#include "kernels/device/device.hpp"
#include "solvers/study.hpp"
#include "tests/kernels/base/random_values.hpp"
#include "tests/solvers/backend.hpp"
#include "tests/solvers/jacobi/random_systems.hpp"

using namespace bombard;

namespace {

template <class T>
struct Iterated {
  std::vector<T> x;
  JacobiProgress progress;
};

/// How a matrix is stored, and on a GPU who sweeps.
enum class Way { dense, sparse, gemv };

class JacobiSweeps : public BackendTest {
 protected:
  static std::vector<Way> ways() {
    if (!on_gpu() || !on_device<DeviceLimits>().has_cublas()) return {Way::dense, Way::sparse};
    return {Way::dense, Way::sparse, Way::gemv};
  }

  template <class T, class Matrix>
  static JacobiProgress iterate(const Matrix& a, const std::vector<T>& diagonal,
                                const std::vector<T>& b, std::vector<T>& x, const JacobiStop& stop,
                                JacobiKernel kernel) {
    if (!on_gpu()) return cpu::jacobi<T>(a, diagonal, b, x, stop);
    return on_device<DeviceJacobi<T, Matrix>>().iterate(a, diagonal, b, x, stop, kernel, nullptr);
  }

  template <class T>
  static Iterated<T> iterated(Way way, const SparseMatrix<T>& a, const std::vector<T>& diagonal,
                              const std::vector<T>& b, std::vector<T> x, const JacobiStop& stop) {
    if (way == Way::sparse) {
      const auto progress = iterate(SparseView<T>(a), diagonal, b, x, stop, JacobiKernel::inhouse);
      return {x, progress};
    }
    const DenseMatrix<T> stored = dense<T>(a);
    const auto progress = iterate(DenseView<T>(stored), diagonal, b, x, stop,
                                  way == Way::gemv ? JacobiKernel::gemv : JacobiKernel::inhouse);
    return {x, progress};
  }

  template <class T>
  static void against_loop(std::int64_t n, std::int64_t entries);
};
INSTANTIATE_TEST_SUITE_P(Backends, JacobiSweeps, testing::ValuesIn(backends()), name_of_backend);

// 4 x + y = 1, 2 x + 5 y = 2. From zero: (1/4, 2/5), (3/20, 3/10), (7/40, 17/50) ...
const SparseMatrix<double> small{2, 2, {0, 2, 4}, {0, 1, 0, 1}, {4, 1, 2, 5}};

TEST_P(JacobiSweeps, ByHand) {
  const std::vector<std::vector<double>> sweeps{
      {1.0 / 4, 2.0 / 5}, {3.0 / 20, 3.0 / 10}, {7.0 / 40, 17.0 / 50}};
  for (const Way way : ways()) {
    for (std::int64_t limit = 1; limit <= 3; ++limit) {
      const auto [x, progress] = iterated<double>(way, small, {4, 5}, {1, 2}, {0, 0}, {0, limit});
      EXPECT_EQ(progress.iterations, limit);
      EXPECT_FALSE(progress.converged);
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_NEAR(x[i], sweeps[static_cast<std::size_t>(limit - 1)][i], 1e-15);
      }
    }
    // The third sweep changes y by 0.04 of 0.34.
    const auto stopped = iterated<double>(way, small, {4, 5}, {1, 2}, {0, 0}, {0.118, 100});
    EXPECT_EQ(stopped.progress.iterations, 3);
    EXPECT_TRUE(stopped.progress.converged);
    EXPECT_NEAR(stopped.progress.change, 0.04 / 0.34, 1e-15);
    const auto later = iterated<double>(way, small, {4, 5}, {1, 2}, {0, 0}, {0.117, 100});
    EXPECT_EQ(later.progress.iterations, 4);
    const auto zero = iterated<double>(way, small, {4, 5}, {0, 0}, {0, 0}, {1e-5, 100});
    EXPECT_EQ(zero.progress.iterations, 1);
    EXPECT_TRUE(zero.progress.converged);
    EXPECT_EQ(zero.progress.change, 0);
  }
}

TEST_P(JacobiSweeps, EndWhenXOverflowsOrIsNoNumber) {
  const SparseMatrix<float> growing{2, 2, {0, 2, 4}, {0, 1, 0, 1}, {1, 10, 10, 1}};
  const SparseMatrix<double> twice{2, 2, {0, 1, 2}, {0, 1}, {2, 2}};
  for (const Way way : ways()) {
    const auto overflown = iterated<float>(way, growing, {1, 1}, {1, 1}, {0, 0}, {1e-5, 1000});
    EXPECT_FALSE(overflown.progress.converged);
    EXPECT_TRUE(std::isnan(overflown.progress.change));
    EXPECT_LT(overflown.progress.iterations, 60);
    const auto no_number =
        iterated<double>(way, twice, {2, 2}, {2, 2}, {std::nan(""), 1}, {1e-5, 100});
    EXPECT_EQ(no_number.progress.iterations, 1);
    EXPECT_FALSE(no_number.progress.converged);
    EXPECT_TRUE(std::isnan(no_number.progress.change));
  }
}

/// One sweep of a random system from a random vector, within the bound on any order of sums.
template <class T>
void JacobiSweeps::against_loop(std::int64_t n, std::int64_t entries) {
  const SparseMatrix<T> a = dominant_sparse<T>(n, entries, static_cast<unsigned>(n));
  const auto b = random_values<T>(n, 7);
  const auto start = random_values<T>(n, 8);
  const long double unit = std::is_same_v<T, float> ? 0x1p-24L : 0x1p-53L;
  std::vector<T> diagonal;
  std::vector<long double> expected, bound;
  for (std::size_t row = 0; row < static_cast<std::size_t>(n); ++row) {
    long double sum = 0;
    long double sizes = 0;
    for (auto e = static_cast<std::size_t>(a.row_offsets[row]);
         e < static_cast<std::size_t>(a.row_offsets[row + 1]); ++e) {
      const auto column = static_cast<std::size_t>(a.column_indices[e]);
      if (column == row) diagonal.push_back(a.values[e]);
      const auto product = static_cast<long double>(a.values[e]) * start[column];
      sum += product;
      sizes += std::abs(product);
    }
    expected.push_back(start[row] + (b[row] - sum) / diagonal[row]);
    bound.push_back(static_cast<long double>(n + 6) * unit *
                    ((sizes + std::abs(static_cast<long double>(b[row]))) /
                         std::abs(static_cast<long double>(diagonal[row])) +
                     std::abs(static_cast<long double>(start[row]))));
  }
  constexpr double never = -1;  // a tolerance that not even a change of 0 reaches
  for (const Way way : ways()) {
    const auto once = iterated<T>(way, a, diagonal, b, start, {never, 1});
    EXPECT_EQ(once.progress.iterations, 1);
    std::vector<T> step_by_step = once.x;
    for (std::size_t i = 0; i < b.size(); ++i) {
      ASSERT_LE(std::abs(once.x[i] - expected[i]), bound[i])
          << n << " x " << entries << " at " << i;
    }
    // Many sweeps give the same as that number of single ones.
    for (int sweep = 1; sweep < 4; ++sweep) {
      step_by_step = iterated<T>(way, a, diagonal, b, step_by_step, {never, 1}).x;
    }
    EXPECT_EQ(iterated<T>(way, a, diagonal, b, start, {never, 4}).x, step_by_step) << n;
  }
}

TEST_P(JacobiSweeps, AgainstALoop) {
  for (const std::int64_t n : {1, 2, 3, 31, 32, 33, 64, 65, 127, 512, 513}) {
    for (const std::int64_t entries : {1, 4, 10, 20, 65}) {
      against_loop<float>(n, std::min(n, entries));
      against_loop<double>(n, std::min(n, entries));
    }
  }
  if (!on_gpu()) return;
  for (const std::int64_t n : {1025, 4001}) {
    against_loop<float>(n, 50);
    against_loop<double>(n, 30);
  }
}

// Large enough to run on several threads, of a size that they cannot share out evenly.
TEST_P(JacobiSweeps, TheSameBitsOnAnyNumberOfThreads) {
  if (on_gpu()) return;
  const std::int64_t n = 1013;
  auto a = random_values<float>(n * n, 1);
  const auto b = random_values<float>(n, 2);
  const std::vector<float> diagonal(static_cast<std::size_t>(n), 1000);
  for (std::int64_t i = 0; i < n; ++i) a[static_cast<std::size_t>(i * n + i)] = 1000;
  const int threads_before = omp_get_max_threads();
  std::vector<float> expected;
  for (const int threads : {1, 2, 3, 7}) {
    omp_set_num_threads(threads);
    std::vector<float> x(static_cast<std::size_t>(n), 0);
    const auto progress =
        cpu::jacobi<float>(DenseView<float>{n, n, a}, diagonal, b, x, {1e-6, 100});
    EXPECT_TRUE(progress.converged);
    if (threads == 1) expected = x;
    EXPECT_EQ(x, expected) << threads << " threads";
  }
  omp_set_num_threads(threads_before);
}

}  // namespace
