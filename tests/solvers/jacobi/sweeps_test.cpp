// Jacobi's iteration on each device: sweeps written out by hand, where it stops, and sweeps against
// Eigen in long double.

#include <cmath>
#include <vector>

#include "bombard/solve.hpp"
#include "inputs/array_file.hpp"
#include "solvers/generation.hpp"
#include "tests/kernels/base/random_values.hpp"
#include "tests/solvers/backend.hpp"
#include "tests/solvers/wide.hpp"

using namespace bombard;
using solve::JacobiSettings;

namespace {

/// A random n x n matrix with up to `entries` elements in a row. The magnitudes off the diagonal
/// add up to half the diagonal element's, which is negative in every second row: each sweep of
/// Jacobi halves the error.
template <class T>
SparseMatrix<T> dominant_sparse(std::int64_t n, std::int64_t entries, unsigned seed) {
  const auto a = generate_system(n, std::min(n, entries) - 1, seed);
  SparseMatrix<T> b{n, n, a.row_offsets, a.column_indices, {}};
  for (std::int64_t row = 0; row < n; ++row) {
    const T sign = row % 2 == 0 ? 1 : -1;
    for (std::int64_t entry = a.row_offsets[row]; entry < a.row_offsets[row + 1]; ++entry) {
      b.values.push_back(sign * static_cast<T>(a.values[entry]));
    }
  }
  return b;
}

class JacobiSweeps : public BackendTest {
 protected:
  /// Calls check(iterate) with a function that iterates from a start: for the matrix as it is
  /// stored, and with every element stored.
  template <class T, class Check>
  static void each_way(const SparseMatrix<T>& a, const std::vector<T>& b, const Check& check) {
    const auto iterated = [&](const auto& matrix) {
      return [&](const std::vector<T>& start, JacobiSettings settings) {
        settings.device = device();
        settings.force = true;
        return solve::jacobi<T>(matrix, b, start, settings);
      };
    };
    check(iterated(a));
    check(iterated(dense<T>(a)));
  }

  template <class T>
  static void against_eigen(std::int64_t n, std::int64_t entries);
};

// 4 x + y = 1, 2 x + 5 y = 2. From zero: (1/4, 2/5), (3/20, 3/10), (7/40, 17/50) ...
const SparseMatrix<double> small{2, 2, {0, 2, 4}, {0, 1, 0, 1}, {4, 1, 2, 5}};

TEST_F(JacobiSweeps, ByHand) {
  const std::vector<std::vector<double>> sweeps{
      {1.0 / 4, 2.0 / 5}, {3.0 / 20, 3.0 / 10}, {7.0 / 40, 17.0 / 50}};
  each_way<double>(small, {1, 2}, [&](const auto& iterate) {
    for (std::int64_t limit = 1; limit <= 3; ++limit) {
      const auto found = iterate({}, {.tolerance = 0, .iteration_limit = limit});
      EXPECT_EQ(found.iterations, limit);
      EXPECT_FALSE(found.converged);
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_NEAR(found.x[i], sweeps[static_cast<std::size_t>(limit - 1)][i], 1e-15);
      }
    }
    // The third sweep changes y by 0.04 of 0.34.
    const auto stopped = iterate({}, {.tolerance = 0.118});
    EXPECT_EQ(stopped.iterations, 3);
    EXPECT_TRUE(stopped.converged);
    EXPECT_NEAR(stopped.change, 0.04 / 0.34, 1e-15);
    EXPECT_EQ(iterate({}, {.tolerance = 0.117}).iterations, 4);
  });
  each_way<double>(small, {0, 0}, [&](const auto& iterate) {
    const auto zero = iterate({}, {});
    EXPECT_EQ(zero.iterations, 1);
    EXPECT_TRUE(zero.converged);
    EXPECT_EQ(zero.change, 0);
  });
}

TEST_F(JacobiSweeps, EndWhenXOverflows) {
  const SparseMatrix<float> growing{2, 2, {0, 2, 4}, {0, 1, 0, 1}, {1, 10, 10, 1}};
  each_way<float>(growing, {1, 1}, [&](const auto& iterate) {
    const auto overflown = iterate({}, {});
    EXPECT_FALSE(overflown.converged);
    EXPECT_TRUE(std::isnan(overflown.change));
    EXPECT_FALSE(overflown.error_bound);
    EXPECT_LT(overflown.iterations, 60);
  });
  // A row whose products overflow with both signs: no element is infinite, and one is not a number.
  const SparseMatrix<float> both{3, 3, {0, 3, 4, 5}, {0, 1, 2, 1, 2}, {1, 1e38F, -1e38F, 1, 1}};
  each_way<float>(both, {1, 1, 1}, [&](const auto& iterate) {
    const auto no_number = iterate({0, 10, 10}, {});
    EXPECT_EQ(no_number.iterations, 1);
    EXPECT_TRUE(std::isnan(no_number.change));
  });
}

/// One sweep of a random system from a random vector, within the bound on any order of sums.
template <class T>
void JacobiSweeps::against_eigen(std::int64_t n, std::int64_t entries) {
  SCOPED_TRACE(testing::Message() << n << " x " << entries);
  const SparseMatrix<T> a = dominant_sparse<T>(n, entries, static_cast<unsigned>(n));
  const auto b = random_values<T>(n, 7);
  const auto start = random_values<T>(n, 8);
  const Wide matrix = wide(n, n, dense<T>(a).values), right = wide(n, 1, b), x = wide(n, 1, start);
  const Wide diagonal = matrix.diagonal();
  const Wide expected = x + (right - matrix * x).cwiseQuotient(diagonal);
  const Wide sizes = matrix.cwiseAbs() * x.cwiseAbs() + right.cwiseAbs();
  const Wide bound = static_cast<long double>(n + 6) * unit_roundoff<T> *
                     (sizes.cwiseQuotient(diagonal.cwiseAbs()) + x.cwiseAbs());
  each_way<T>(a, b, [&](const auto& iterate) {
    std::vector<T> found = iterate(start, {.sweeps = 1}).x;
    expect_within(found, expected, bound);
    // Many sweeps give the same as this number of single ones.
    for (int sweep = 1; sweep < 4; ++sweep) found = iterate(found, {.sweeps = 1}).x;
    EXPECT_EQ(iterate(start, {.sweeps = 4}).x, found);
  });
}

TEST_F(JacobiSweeps, AgainstEigen) {
  for (const std::int64_t n : {1, 2, 3, 31, 32, 33, 64, 65, 127, 512, 513}) {
    for (const std::int64_t entries : {1, 4, 10, 20, 65}) {
      against_eigen<float>(n, std::min(n, entries));
      against_eigen<double>(n, std::min(n, entries));
    }
  }
  if (!on_gpu()) return;
  for (const std::int64_t n : {1025, 4001}) {
    against_eigen<float>(n, 50);
    against_eigen<double>(n, 30);
  }
}

// Large enough to run on several threads, of a size that they cannot share out evenly.
TEST_F(JacobiSweeps, TheSameBitsOnAnyNumberOfThreads) {
  if (on_gpu()) return;
  const std::int64_t n = 1013;
  auto a = random_values<float>(n * n, 1);
  const auto b = random_values<float>(n, 2);
  for (std::int64_t i = 0; i < n; ++i) a[static_cast<std::size_t>(i * n + i)] = 1000;
  expect_the_same_on_any_threads([&] {
    const auto found = solve::jacobi(DenseView<float>{n, n, a}, b, {}, {.device = Device::cpu});
    EXPECT_TRUE(found.converged);
    return found.x;
  });
}

}  // namespace
