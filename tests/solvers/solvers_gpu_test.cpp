// The solvers on the device against their references.

#include <bit>
#include <cmath>
#include <limits>

#include "inputs/npy.hpp"
#include "solvers/jacobi/jacobi.hpp"
#include "solvers/minima/minima.hpp"
#include "solvers/minima/on_device.hpp"
#include "solvers/product/product.hpp"
#include "solvers/references.hpp"
#include "solvers/sort/sort.hpp"
#include "solvers/sums/dot.hpp"
#include "solvers/sums/reduce.hpp"
#include "tests/gpu.hpp"
#include "tests/inputs/temporary_directory.hpp"
#include "tests/solvers/jacobi/random_systems.hpp"

using namespace bombard;

namespace {

class SmallSolversOnGpu : public GpuTest {};

const DeviceChoice on_gpu{DeviceChoice::Kind::cuda};

TEST_F(SmallSolversOnGpu, Jacobi) {
  for (const std::int64_t n : {1, 33, 400}) {
    const auto b = random_values<double>(n, 11);
    const JacobiOptions options{.tolerance = 1e-12, .device = on_gpu};
    const auto expect_near = [&](const auto& a) {
      const auto solution = jacobi<double>(a, b, {}, options);
      EXPECT_TRUE(solution.on_gpu);
      const auto reference = jacobi_reference<double>(a, b);
      for (std::size_t i = 0; i < b.size(); ++i) {
        ASSERT_NEAR(solution.x[i], reference.x[i], 1e-11) << n << " at " << i;
      }
    };
    expect_near(dominant_dense<double>(n, 1));
    expect_near(dominant_sparse<double>(n, std::min<std::int64_t>(n, 5), 2));
  }
}

TEST_F(SmallSolversOnGpu, Product) {
  const DenseMatrix<double> a{2, 3, {1, 2, 3, 4, 5, 6}};
  const DenseMatrix<double> b{3, 2, {7, 8, 9, 10, 11, 12}};
  for (const auto kernel : {ProductKernel::automatic, ProductKernel::naive, ProductKernel::tiled}) {
    const auto result = product<double>(a, b, kernel, on_gpu);
    EXPECT_TRUE(result.on_gpu);
    EXPECT_NE(result.kernel, ProductKernel::automatic);
    EXPECT_EQ(result.matrix.values, (std::vector<double>{58, 64, 139, 154}));
  }
}

TEST_F(SmallSolversOnGpu, RowDots) {
  const DenseMatrix<float> a{2, 3, {1, 2, 3, -1, 0.5F, 0}};
  const DenseMatrix<float> b{2, 3, {4, 5, 6, 2, 2, 9}};
  EXPECT_EQ(row_dots<float>(a, b, on_gpu).values, (std::vector<double>{32, -1}));
}

template <class T>
void sorts_as_the_standard_library_does() {
  for (const SortKernel kernel : {SortKernel::bitonic, SortKernel::radix}) {
    auto values = random_values<T>(30011, 3);
    auto expected = values;
    sort_reference<T>(expected, SortOrder::descending);
    EXPECT_TRUE(sort<T>(values, SortOrder::descending, kernel, on_gpu));
    EXPECT_EQ(values, expected);
  }
}

TEST_F(SmallSolversOnGpu, Sort) {
  sorts_as_the_standard_library_does<std::int32_t>();
  sorts_as_the_standard_library_does<float>();
  sorts_as_the_standard_library_does<double>();
}

TEST_F(SmallSolversOnGpu, Reductions) {
  EXPECT_EQ(sum<float>(std::vector<float>{1e8F, 1, -1e8F}, on_gpu), 1);
  EXPECT_EQ(maximum<std::int32_t>(std::vector<std::int32_t>{-5, -2}, on_gpu), -2);
}

/// Matrices as two reading threads hand them on, in batches that the last one fills in part.
template <class T>
std::array<T, 9> minima_of_batches(const std::vector<T>& matrices) {
  const std::int64_t capacity = 1000;
  const auto number = static_cast<std::int64_t>(matrices.size()) / 9;
  GpuMinima<T> minima(0, 2, capacity);
  int reader = 0;
  for (std::int64_t first = 0; first < number; first += capacity) {
    const std::int64_t count = std::min(capacity, number - first);
    const auto room = minima.room(reader);
    std::ranges::fill(room, -5000);  // what is behind the batch must not count
    for (std::int64_t m = 0; m < count; ++m) {
      for (std::int64_t position = 0; position < 9; ++position) {
        room[static_cast<std::size_t>(position * capacity + m)] =
            matrices[static_cast<std::size_t>(9 * (first + m) + position)];
      }
    }
    minima.take(reader, room, count);
    reader ^= 1;
  }
  return minima.minima();
}

TEST_F(SmallSolversOnGpu, MinimaOfBatchesFromTwoReaders) {
  const auto integers = random_values<std::int32_t>(9 * 7300, 3);
  EXPECT_EQ(minima_of_batches(integers), minima_reference<std::int32_t>(integers));
  const auto floats = random_values<float>(9 * 7300, 4);
  EXPECT_EQ(minima_of_batches(floats), minima_reference<float>(floats));
  const auto doubles = random_values<double>(9 * 7300, 5);
  EXPECT_EQ(minima_of_batches(doubles), minima_reference<double>(doubles));
}

/// The set in a file, on the GPU and on the processor.
void same_minima(const std::string& path) {
  const MatrixSetMinima expected = matrix_set_minima(path, 0);
  for (const int threads : {1, 3}) {
    const MatrixSetMinima found = minima_on_gpu(path, threads, on_gpu);
    EXPECT_EQ(found.matrices, expected.matrices);
    for (std::size_t i = 0; i < 9; ++i) {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(found.values[i]),
                std::bit_cast<std::uint64_t>(expected.values[i]))
          << found.values[i] << " instead of " << expected.values[i] << " at " << i;
    }
  }
}

template <class T>
void same_minima_of_file(std::vector<T> elements, const std::string& path) {
  if constexpr (std::is_floating_point_v<T>) {
    elements[9 * 100] = -std::numeric_limits<T>::quiet_NaN();
    for (std::size_t m = 0; m < elements.size() / 9; ++m) {
      elements[9 * m + 1] = m == 5 ? -T{0} : T{0};
      elements[9 * m + 2] = m == 5 ? T{0} : T{1};
    }
  }
  OutputFile file(path);
  write_npy<T>(elements, {static_cast<std::int64_t>(elements.size()) / 9, 3, 3}, file);
  file.commit();
  same_minima(path);
}

class SetsOnGpu : public TemporaryDirectory {
 protected:
  void SetUp() override {
    require_gpu();
  }
};

// More matrices than a batch holds, in files of every type.
TEST_F(SetsOnGpu, HaveTheMinimaThatTheyHaveOnTheProcessor) {
  const std::int64_t elements = 9 * 600'011;
  same_minima_of_file(random_values<float>(elements, 1), path("floats.npy"));
  same_minima_of_file(random_values<double>(elements, 2), path("doubles.npy"));
  const auto integers = random_values<std::int32_t>(elements, 3);
  same_minima_of_file(integers, path("integers.npy"));
  OutputFile file(path("set.txt"));
  write_matrix_set(integers, file);
  file.commit();
  same_minima(path("set.txt"));
}

TEST_F(SetsOnGpu, AreRejectedWithTheirLine) {
  const std::string file = written("bad.txt", "1\n***\n1 2 3\n4 5 six\n7 8 9\n");
  EXPECT_EQ(rejection([&] { minima_on_gpu(file, 2, on_gpu); }),
            "bad.txt:4: element \"six\" is not an integer");
}

template <class T>
void orders_zeros_and_nan() {
  std::vector<T> matrices(9 * 3000, 1);
  matrices[9 * 2999 + 0] = std::numeric_limits<T>::quiet_NaN();
  matrices[9 * 17 + 1] = -std::numeric_limits<T>::quiet_NaN();
  matrices[9 * 1000 + 2] = -T{0};
  matrices[9 * 2000 + 2] = T{0};
  matrices[9 * 1000 + 3] = T{0};
  matrices[9 * 2000 + 3] = -T{0};
  matrices[9 * 1500 + 4] = T{0};
  matrices[9 * 1500 + 5] = -std::numeric_limits<T>::infinity();
  for (std::size_t m = 0; m < 3000; ++m) matrices[9 * m + 6] = std::numeric_limits<T>::infinity();
  const std::array<T, 9> found = minima_of_batches(matrices);
  for (const std::size_t i : {0U, 1U}) {
    EXPECT_TRUE(std::isnan(found[i]) && !std::signbit(found[i])) << i;
  }
  for (const std::size_t i : {2U, 3U}) EXPECT_TRUE(found[i] == 0 && std::signbit(found[i])) << i;
  EXPECT_TRUE(found[4] == 0 && !std::signbit(found[4]));
  EXPECT_EQ(found[5], -std::numeric_limits<T>::infinity());
  EXPECT_EQ(found[6], std::numeric_limits<T>::infinity());
  EXPECT_EQ(found[7], 1);
}

TEST_F(SmallSolversOnGpu, MinimaOrderZerosAndNaN) {
  orders_zeros_and_nan<float>();
  orders_zeros_and_nan<double>();
}

}  // namespace
