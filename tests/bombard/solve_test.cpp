#include "bombard/solve.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/kernels/base/random_values.hpp"
#include "tests/solvers/backend.hpp"

namespace bombard::solve {
namespace {

TEST(LibrarySolve, RefusesWhatIsNoMatrix) {
  const std::vector<double> values{4, 1, 2}, b{1, 1};
  EXPECT_THROW(jacobi(DenseView<double>{2, 2, values}, b), InputError);
  EXPECT_THROW(jacobi(DenseView<double>{-1, -3, values}, b), InputError);
  EXPECT_THROW(product(DenseView<double>{1, 3, values}, DenseView<double>{1, 3, values}),
               InputError);
  using Offsets = std::vector<std::int64_t>;
  using Columns = std::vector<std::int32_t>;
  for (const auto& [offsets, columns] :
       std::vector<std::pair<Offsets, Columns>>{{{0, 2}, {0, 1, 1}},
                                                {{0, 2, 2}, {0, 1, 1}},
                                                {{1, 2, 3}, {0, 1, 1}},
                                                {{0, 4, 3}, {0, 1, 1}},
                                                {{0, 2, 3}, {0, 1}},
                                                {{0, 2, 3}, {1, 0, 1}},
                                                {{0, 2, 3}, {0, 0, 1}},
                                                {{0, 2, 3}, {0, 1, 2}},
                                                {{0, 2, 3}, {-1, 1, 1}},
                                                {{0, 1, 3}, {1, 0, 1}},
                                                {{}, {0, 1, 1}}}) {
    const SparseView<double> a{2, 2, offsets, columns, values};
    EXPECT_THROW(jacobi(a, b, {}, {.force = true}), InputError);
  }
}

class Solve : public BackendTest {};

TEST_F(Solve, MinimaOfSets) {
  const auto expect_minima = [&]<class T>(const std::vector<T>& elements) {
    std::array<T, 9> expected;
    for (std::size_t i = 0; i < 9; ++i) expected[i] = elements[i];
    for (std::size_t i = 0; i < elements.size(); ++i) {
      expected[i % 9] = std::min(expected[i % 9], elements[i]);
    }
    EXPECT_EQ(minima<T>(elements, device()), expected);
  };
  expect_minima(random_values<float>(9 * 7300, 1));
  expect_minima(random_values<double>(9 * 7300, 1));
  expect_minima(random_values<std::int32_t>(9 * 7300, 1));
  std::vector<float> two{1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 8, 7, 6, NAN, 4, 3, 2, 1};
  EXPECT_TRUE(std::isnan(minima<float>(two, device())[4]));
  two[13] = 5;
  expect_minima(two);
  EXPECT_THROW(minima(std::span<const float>(two).first(10)), InputError);
  EXPECT_THROW(minima(std::span<const float>()), InputError);
}

TEST_F(Solve, AnInterruptChangesNoDigitOfJacobi) {
  // Diagonally dominant, so slowly that slices of 1, 2, 4 .. sweeps on a GPU pass.
  constexpr std::int64_t n = 50;
  std::vector<double> a(n * n, 1);
  for (std::int64_t i = 0; i < n; ++i) a[static_cast<std::size_t>(i * n + i)] = n;
  std::vector<double> b(n);
  for (std::int64_t i = 0; i < n; ++i) b[static_cast<std::size_t>(i)] = static_cast<double>(i % 7);
  const DenseView<double> matrix{n, n, a};
  int called = 0;
  const auto count = [&] { ++called; };
  for (JacobiSettings settings :
       std::vector<JacobiSettings>{{.tolerance = 1e-3}, {.tolerance = 1e-9}, {.sweeps = 6}}) {
    settings.device = device();
    const auto plain = jacobi(matrix, b, {}, settings);
    settings.interrupt = count;
    const auto asked = jacobi(matrix, b, {}, settings);
    EXPECT_EQ(asked.x, plain.x);
    EXPECT_EQ(asked.iterations, plain.iterations);
    EXPECT_EQ(asked.change, plain.change);
    EXPECT_TRUE(asked.converged);
    EXPECT_EQ(asked.on_gpu, on_gpu());
    EXPECT_TRUE(!settings.sweeps || asked.iterations == 6);
  }
  EXPECT_GT(called, on_gpu() ? 4 : 2);
}

}  // namespace
}  // namespace bombard::solve
