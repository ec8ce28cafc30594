// Jacobi as users call it: dominance, residuals, errors, and Eigen's solution.

#include <cmath>
#include <optional>
#include <utility>

#include "bombard/solve.hpp"
#include "inputs/array_file.hpp"
#include "solvers/generation.hpp"
#include "solvers/jacobi/reference.hpp"
#include "tests/kernels/base/random_values.hpp"
#include "tests/text.hpp"

using namespace bombard;
using solve::jacobi;
using solve::JacobiSettings;

namespace {

/// The first row and the first column that are not dominant.
using Failing = std::pair<std::optional<std::int64_t>, std::optional<std::int64_t>>;
template <class T, class Matrix>
Failing failing(const Matrix& a) {
  const std::vector<T> b(static_cast<std::size_t>(a.rows));
  const Dominance found =
      jacobi<T>(a, b, {}, {.device = Device::cpu, .force = true, .sweeps = 1}).dominance;
  return {found.failing_row, found.failing_column};
}

TEST(Dominance, ByHand) {
  // Row 0: 3 <= 1 + 2. Columns: 3 > 1 + 1, 5 > 1 + 1, 4 > 2 + 1.
  EXPECT_EQ(failing<double>(DenseMatrix<double>{3, 3, {3, 1, 2, -1, 5, 1, 1, -1, 4}}),
            Failing(0, {}));
  EXPECT_EQ(failing<float>(DenseMatrix<float>{2, 2, {3, -1, -4, 5}}), Failing({}, 0));
  EXPECT_EQ(failing<double>(SparseMatrix<double>{2, 2, {0, 2, 4}, {0, 1, 0, 1}, {1, 1, 0.5, 1}}),
            Failing(0, 1));
}

// 4 x + y = 1, 2 x + 5 y = 2: x = 1/6, y = 1/3; the third sweep from 0 is (7/40, 17/50).
const DenseMatrix<double> small_system{2, 2, {4, 1, 2, 5}};

TEST(Jacobi, ResidualIsThatOfTheSolutionAlsoOfNumbersThatHaveNoSquares) {
  // Stops after the third sweep.
  const JacobiSettings options{.device = Device::cpu, .tolerance = 0.118};
  for (const double size : {1.0, 1e300, 1e-170, 1e-300}) {
    const auto solution =
        jacobi<double>(small_system, std::vector<double>{size, 2 * size}, {}, options);
    EXPECT_EQ(solution.iterations, 3);
    EXPECT_NEAR(solution.relative_residual,
                std::hypot(1 - 0.7 - 0.34, 2 - 0.35 - 1.7) / std::hypot(1, 2), 1e-15);
  }
}

TEST(Jacobi, StopsByItsErrorWhereItIsAsked) {
  const JacobiSettings options{.device = Device::cpu, .iteration_limit = 100'000, .error = 1e-3};
  const DenseMatrix<double> slow{2, 2, {1, -0.999, -0.999, 1}};
  const std::vector<double> two_ones{1, 1};
  const auto solution = jacobi<double>(slow, two_ones, {}, options);
  EXPECT_TRUE(solution.converged);
  EXPECT_NEAR(solution.x[0], 1000, 1.001);
  EXPECT_NEAR(solution.x[0], 1000 - 1, 0.1);  // and stops as soon as it may
  EXPECT_LE(*solution.error_bound, 1e-3 * (1 + 1e-12));
  // A diagonal matrix is solved by one sweep.
  const DenseMatrix<double> diagonal{2, 2, {2, 0, 0, 4}};
  EXPECT_EQ(jacobi<double>(diagonal, two_ones, {}, options).iterations, 1);
  const std::vector<double> zeros{0, 0};
  EXPECT_EQ(jacobi<double>(diagonal, zeros, {}, options).iterations, 1);
  EXPECT_EQ(jacobi<double>(diagonal, zeros, {}, {.device = Device::cpu, .sweeps = 5}).iterations,
            5);
  const auto one = jacobi<double>(diagonal, zeros, two_ones, {.device = Device::cpu, .sweeps = 1});
  EXPECT_TRUE(one.converged && *one.error_bound == 0 && one.relative_residual == 0);
}

TEST(Jacobi, RefusesWhatItCannotSolve) {
  using Doubles = std::vector<double>;
  const DenseMatrix<double> weak{2, 2, {1, 2, 2, 1}}, wide{2, 3, {1, 2, 3, 4, 5, 6}};
  const auto refusal = [](const auto& a, const Doubles& b, const Doubles& start = {},
                          const JacobiSettings& settings = {}) {
    return tests::message_of([&] { jacobi<double>(a, b, start, settings); });
  };
  const Doubles two{1, 2};
  for (const auto& [message, begin] : tests::Refusals{
           {refusal(wide, Doubles(5)), "A is 2 x 3, b has 5 elements: A's rows must match"},
           {refusal(wide, two), "A is 2 x 3: Jacobi needs as many rows as columns"},
           {refusal(small_system, two, {1}), "A is 2 x 2, the start vector has 1 elements"},
           {refusal(DenseMatrix<double>{2, 2, {2, 1, 1, 0}}, two), "A's diagonal is zero in row 2"},
           {refusal(weak, two),
            "A is not strictly diagonally dominant (first by rows in row 1, by columns in column "
            "1): Jacobi may not converge; force runs it all the same"},
           {refusal(weak, two, {}, {.force = true, .error = 1e-3}), "A is not dominant by rows"},
           {refusal(small_system, {1, NAN}), "element 2 of b is nan"},
           {refusal(small_system, two, {}, {.tolerance = -1}), "the tolerance -1 must be 0 or"},
           {refusal(small_system, two, {}, {.error = 0}), "the error 0 must be above 0"},
           {refusal(small_system, two, {}, {.sweeps = 0}), "the iteration limit 0 must be 1"}}) {
    EXPECT_TRUE(message.starts_with(begin)) << message;
  }
}

TEST(Jacobi, ReferenceOfLargeSystems) {
  constexpr std::int64_t rows = 2001;
  const auto b = random_values<double>(rows, 11);
  const auto expect_solved = [&](const auto& a) {
    const auto solution = jacobi<double>(a, b, {}, {.device = Device::cpu, .tolerance = 1e-15});
    const Eigen::VectorXd expected = jacobi_reference<double>(a, b);
    EXPECT_LT((in_eigen<double>(solution.x) - expected).norm(), 1e-13 * expected.norm());
  };
  expect_solved(SparseView<double>(generate_system(rows, 5, 4)));
  expect_solved(DenseView<double>(dense(generate_system(rows, 30, 4))));
  EXPECT_EQ(jacobi_reference<double>(DenseView<double>{}, {}).size(), 0);
}

}  // namespace
