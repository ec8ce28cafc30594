// Jacobi as users call it: against Eigen, and every message.

#include "solvers/jacobi.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "inputs/errors.hpp"
#include "tests/solvers/random_systems.hpp"

using namespace bombard;

namespace {

const JacobiOptions on_cpu{.device = {DeviceChoice::Kind::cpu}};
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class Call>
std::string message(const Call& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no InputError";
}

std::string message_of(const DenseMatrix<double>& a, const std::vector<double>& b,
                       JacobiOptions options = on_cpu, const std::vector<double>& start = {}) {
  return message([&] { jacobi<double>(a, b, start, options); });
}

TEST(Dominance, ByRowsByColumnsAndNeither) {
  // Row 1: 3 <= 1 + 2. Columns: 3 > 1, 5 > 2, so columns suffice.
  const DenseMatrix<double> by_columns{3, 3, {3, 1, 2, -1, 5, 1, 1, -1, 4}};
  EXPECT_EQ(dominance(by_columns).failing_row, 0);
  EXPECT_FALSE(dominance(by_columns).failing_column);
  EXPECT_TRUE(dominance(by_columns).suffices());

  const DenseMatrix<float> by_rows{2, 2, {3, -1, -4, 5}};
  EXPECT_FALSE(dominance(by_rows).failing_row);
  EXPECT_EQ(dominance(by_rows).failing_column, 0);

  const SparseMatrix<double> neither{2, 2, {0, 2, 4}, {0, 1, 0, 1}, {1, 1, 0.5, 1}};
  EXPECT_EQ(dominance(neither).failing_row, 0);
  EXPECT_EQ(dominance(neither).failing_column, 1);
  EXPECT_FALSE(dominance(neither).suffices());
}

TEST(Jacobi, ByHand) {
  // x = 1/6, y = 1/3
  const DenseMatrix<double> a{2, 2, {4, 1, 2, 5}};
  JacobiOptions options = on_cpu;
  options.tolerance = 1e-12;
  const auto solution = jacobi<double>(a, std::vector<double>{1, 2}, {}, options);
  EXPECT_NEAR(solution.x[0], 1.0 / 6, 1e-11);
  EXPECT_NEAR(solution.x[1], 1.0 / 3, 1e-11);
  EXPECT_LE(solution.change, 1e-12);
  EXPECT_LT(solution.residual_norm, 1e-11);
  EXPECT_FALSE(solution.on_gpu);
}

TEST(Jacobi, ResidualNormIsThatOfTheSolution) {
  const DenseMatrix<double> a{2, 2, {4, 1, 2, 5}};
  JacobiOptions options = on_cpu;
  options.tolerance = 0.118;  // stops after the third sweep, at (7/40, 17/50)
  const auto solution = jacobi<double>(a, std::vector<double>{1, 2}, {}, options);
  EXPECT_EQ(solution.iterations, 3);
  EXPECT_NEAR(solution.residual_norm, std::hypot(1 - 0.7 - 0.34, 2 - 0.35 - 1.7), 1e-15);
}

TEST(Jacobi, StartsWhereItIsTold) {
  const DenseMatrix<double> a{2, 2, {4, 1, 2, 5}};
  const auto solution =
      jacobi<double>(a, std::vector<double>{1, 2}, std::vector<double>{1.0 / 6, 1.0 / 3}, on_cpu);
  EXPECT_EQ(solution.iterations, 1);
}

/// The true solution is within `change` of both, as each sweep halves the error; rounding adds
/// (entries + 6) units in the last place of 2 max|x|, doubled over the sweeps.
template <class T, class Matrix>
void against_eigen(const Matrix& a, std::int64_t entries) {
  const auto b = random_values<T>(a.rows, 11);
  JacobiOptions options = on_cpu;
  options.tolerance = std::is_same_v<T, float> ? 1e-5 : 1e-12;
  const auto solution = jacobi<T>(a, b, {}, options);
  const auto reference = jacobi_reference<T>(a, b, {}, options);
  double largest = 0;
  for (const double value : reference.x) largest = std::max(largest, std::abs(value));
  const double unit = std::is_same_v<T, float> ? 0x1p-24 : 0x1p-53;
  const double bound =
      (2 * options.tolerance + 4 * static_cast<double>(entries + 6) * unit) * largest;
  for (std::size_t i = 0; i < b.size(); ++i) {
    ASSERT_NEAR(solution.x[i], reference.x[i], bound) << a.rows << " at " << i;
  }
  EXPECT_LE(std::abs(solution.iterations - reference.iterations), 1);
}

TEST(Jacobi, AgainstEigen) {
  for (const std::int64_t n : {1, 2, 3, 31, 33, 257, 1000}) {
    against_eigen<float>(dominant_dense<float>(n, 1), n);
    against_eigen<double>(dominant_dense<double>(n, 2), n);
    for (const std::int64_t entries : {1, 5, 40}) {
      against_eigen<float>(dominant_sparse<float>(n, std::min(n, entries), 3), entries);
      against_eigen<double>(dominant_sparse<double>(n, std::min(n, entries), 4), entries);
    }
  }
}

TEST(JacobiErrors, ShapesThatDoNotMatch) {
  EXPECT_EQ(message_of({2, 3, std::vector<double>(6)}, {1, 2}),
            "A is 2 x 3: Jacobi needs as many rows as columns");
  EXPECT_EQ(message_of({2, 2, {4, 1, 2, 5}}, {1, 2, 3}),
            "A is 2 x 2, b has 3 elements: A's rows must match");
  EXPECT_EQ(message_of({2, 2, {4, 1, 2, 5}}, {1, 2}, on_cpu, {0}),
            "A is 2 x 2, the start vector has 1 elements: A's rows must match");
}

TEST(JacobiErrors, ZeroDiagonal) {
  EXPECT_EQ(message_of({2, 2, {4, 1, 2, 0}}, {1, 2}),
            "A's diagonal is zero in row 2: Jacobi divides by it; reorder the rows");
  const SparseMatrix<double> missing{2, 2, {0, 1, 2}, {0, 0}, {4, 1}};
  EXPECT_EQ(message([&] {
              jacobi<double>(missing, std::vector<double>{1, 2}, {}, on_cpu);
            }),
            "A's diagonal is zero in row 2: Jacobi divides by it; reorder the rows");
}

TEST(JacobiErrors, ValuesThatAreNotFinite) {
  EXPECT_EQ(message_of({2, 2, {4, 1, nan, 5}}, {1, 2}),
            "A's element in row 2, column 1 is nan: every value must be finite");
  EXPECT_EQ(message_of({2, 2, {4, 1, 2, 5}}, {1, INFINITY}),
            "element 2 of b is inf: every value must be finite");
}

TEST(JacobiErrors, NoDominance) {
  const DenseMatrix<double> a{2, 2, {1, 2, 3, 1}};
  EXPECT_EQ(message_of(a, {1, 1}),
            "A is not strictly diagonally dominant (first by rows in row 1, by columns in column "
            "1): Jacobi may not converge; --force runs it all the same");
  JacobiOptions options = on_cpu;
  options.force = true;
  EXPECT_EQ(message_of(a, {1, 1}, options).substr(0, 42),
            "no convergence: x overflowed in iteration ");
}

TEST(JacobiErrors, NoConvergenceSaysHowFarItCame) {
  JacobiOptions options = on_cpu;
  options.iteration_limit = 3;
  EXPECT_EQ(message_of({2, 2, {4, 1, 2, 5}}, {1, 2}, options),
            "no convergence in 3 iterations: max|x_new - x_old| / max|x_new| came to 0.118, the "
            "tolerance is 1e-05; raise the iteration limit or the tolerance");
}

TEST(JacobiErrors, OptionsOutOfRange) {
  JacobiOptions options = on_cpu;
  options.tolerance = nan;
  EXPECT_EQ(message_of({1, 1, {4}}, {1}, options), "the tolerance nan must be 0 or more");
  options = on_cpu;
  options.iteration_limit = 0;
  EXPECT_EQ(message_of({1, 1, {4}}, {1}, options), "the iteration limit 0 must be 1 or more");
}

}  // namespace
