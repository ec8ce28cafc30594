#include "bombard/solve.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "inputs/array_file.hpp"
#include "inputs/matrix_set.hpp"
#include "inputs/npy.hpp"
#include "solvers/minima/reference.hpp"
#include "tests/inputs/temporary_directory.hpp"
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
INSTANTIATE_TEST_SUITE_P(Devices, Solve, testing::ValuesIn(backends()), name_of_backend);

TEST_P(Solve, KernelsAreNamed) {
  const std::vector<float> a{1, 2, 3, 4};
  const DenseView<float> matrix{2, 2, a};
  for (const std::string kernel : {"auto", "naive", "tiled"}) {
    const auto squared = [&] {
      return product(matrix, matrix, {.device = device(), .kernel = kernel});
    };
    if (on_gpu() || kernel == "auto") {
      EXPECT_EQ(squared(), (std::vector<float>{7, 10, 15, 22}));
    } else {
      EXPECT_THROW(squared(), InputError);
    }
  }
  EXPECT_THROW(product(matrix, matrix, {.kernel = "none"}), InputError);
  EXPECT_THROW(sort<float>({}, {.device = device(), .kernel = "none"}), InputError);
}

/// A set of more matrices than a batch holds, with NaN and zeros of both signs where they are
/// easily lost.
template <class T>
std::vector<T> hard_matrices(std::int64_t matrices) {
  auto elements = random_values<T>(9 * matrices, 1);
  if constexpr (std::is_floating_point_v<T>) {
    using Limits = std::numeric_limits<T>;
    for (std::size_t m = 0; m < elements.size() / 9; ++m) {
      elements[9 * m + 1] = m == 5 ? -T{0} : T{0};
      elements[9 * m + 2] = m == 5 ? T{0} : -T{0};
      elements[9 * m + 3] = T{0};
      elements[9 * m + 4] = Limits::infinity();
    }
    elements[9 * 100] = -Limits::quiet_NaN();
    elements[9 * 101 + 5] = Limits::quiet_NaN();
    elements[9 * 102 + 6] = -Limits::infinity();
  }
  return elements;
}

class SolveFiles : public TemporaryDirectory, public testing::WithParamInterface<Backend> {
 protected:
  void SetUp() override { use_backend(GetParam()); }
  void TearDown() override { leave_backend(); }
  static Device device() { return GetParam().on_gpu ? Device::cuda : Device::cpu; }

  template <class T>
  void expect_minima(const std::string& name, const std::vector<T>& elements) {
    const auto expected = minima_reference<T>(elements);
    for (const int threads : {1, 3}) {
      const MatrixSetMinima found = minima_of_file(path(name), device(), threads);
      EXPECT_TRUE(std::holds_alternative<T>(found.element));
      EXPECT_EQ(found.matrices, static_cast<std::int64_t>(elements.size() / 9));
      for (std::size_t i = 0; i < 9; ++i) {
        const bool is_minus_zero = std::is_floating_point_v<T> && (i == 1 || i == 2);
        EXPECT_EQ(std::signbit(found.values[i]), expected[i] < 0 || is_minus_zero) << i;
        if (found.values[i] != expected[i]) {
          EXPECT_TRUE(std::isnan(found.values[i]) && expected[i] != expected[i]) << i;
        }
      }
    }
  }
  template <class T>
  void expect_minima_of_array(std::int64_t matrices) {
    const auto elements = hard_matrices<T>(matrices);
    written_by("set.npy", [&](OutputFile& file) { write_npy(elements, {matrices, 3, 3}, file); });
    expect_minima("set.npy", elements);
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, SolveFiles, testing::ValuesIn(backends()), name_of_backend);

TEST_P(SolveFiles, MinimaOfSets) {
  // Many parts, of different sizes on the threads; on a GPU several launches.
  for (const std::int64_t matrices : {7300, GetParam().on_gpu ? 600'011 : 60'011}) {
    expect_minima_of_array<float>(matrices);
    expect_minima_of_array<double>(matrices);
    expect_minima_of_array<std::int32_t>(matrices);
    const auto integers = random_values<std::int32_t>(9 * matrices, 3);
    written_by("set.txt", [&](OutputFile& file) { write_matrix_set(integers, file); });
    expect_minima("set.txt", integers);
  }
}

TEST_P(Solve, AnInterruptChangesNoDigitOfJacobi) {
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

TEST(LibrarySolve, WhatAnInterruptThrowsEndsTheCall) {
  int left = 2;
  const auto enough = [&] {
    if (--left == 0) throw std::runtime_error("enough");
  };
  // Three panels of rows of B, by several threads.
  constexpr std::int64_t n = 600;
  const std::vector<float> ones(n * n, 1);
  const DenseView<float> large{n, n, ones};
  EXPECT_THROW(product(large, large, {.device = Device::cpu, .interrupt = enough}),
               std::runtime_error);
  EXPECT_EQ(left, 0);
  left = 100;
  EXPECT_EQ(product(large, large, {.device = Device::cpu, .interrupt = enough}),
            std::vector<float>(n * n, n));
  EXPECT_EQ(left, 97);
}

class VectorFiles : public TemporaryDirectory {};

// Sizes around the runs of elements that are summed together.
TEST_F(VectorFiles, SumsAndMaximaAreThoseOfTheVector) {
  for (const std::int64_t size : {1, 65'535, 65'536, 65'537, 200'000}) {
    std::vector<double> values = random_values<double>(size, 1);
    values.back() = 0.1;
    for (const std::string name : {"a.txt", "a.npy", "a.mtx"}) {
      written_by(name,
                 [&](OutputFile& file) { write_array(values, {size}, array_format(name), file); });
      EXPECT_EQ(std::get<double>(sum_of_file(path(name))), sum<double>(values));
      EXPECT_EQ(std::get<double>(maximum_of_file(path(name))), maximum<double>(values));
      const std::vector<float> floats(values.begin(), values.end());
      EXPECT_EQ(std::get<double>(sum_of_file(path(name), Precision::binary32)), sum<float>(floats));
      EXPECT_EQ(std::get<float>(maximum_of_file(path(name), Precision::binary32)),
                maximum<float>(floats));
    }
  }
  EXPECT_EQ(std::get<std::int64_t>(sum_of_file(written("b.txt", "2147483647 2147483647"))),
            4'294'967'294);
  EXPECT_EQ(std::get<std::int32_t>(maximum_of_file(path("b.txt"))), 2'147'483'647);
  EXPECT_EQ(std::get<std::int64_t>(sum_of_file(written("b.txt", ""))), 0);
  EXPECT_EQ(rejection([&] { maximum_of_file(path("b.txt")); }),
            "b.txt: there are no values, so there is no largest");
  EXPECT_EQ(std::get<double>(sum_of_file(written("b.txt", "1 2 3000000000"))), 3'000'000'003.0);
}

TEST(LibrarySolve, MinimaOfMatrices) {
  std::vector<float> matrices{1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 8, 7, 6, NAN, 4, 3, 2, 1};
  std::array<float, 9> least = minima(std::span<const float>(matrices));
  EXPECT_TRUE(std::isnan(std::exchange(least[4], 5.0F)));
  EXPECT_EQ(least, (std::array<float, 9>{1, 2, 3, 4, 5, 4, 3, 2, 1}));
  EXPECT_THROW(minima(std::span<const float>(matrices).first(10)), InputError);
  EXPECT_THROW(minima(std::span<const float>()), InputError);
}

}  // namespace
}  // namespace bombard::solve
