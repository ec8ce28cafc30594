// Every kernel of the product against Eigen in long double.

#include "solvers/product/product.hpp"

#include <cmath>
#include <vector>

#include "bombard/solve.hpp"
#include "kernels/device/device.hpp"
#include "tests/kernels/base/random_values.hpp"
#include "tests/solvers/backend.hpp"
#include "tests/solvers/wide.hpp"
#include "tests/text.hpp"

using namespace bombard;

namespace {

class ProductKernels : public BackendTest {
 protected:
  /// Calls check(multiply) for each kernel here: C = multiply(shape, A, B).
  template <class T, class Check>
  static void each_way(const Check& check) {
    using Values = std::vector<T>;
    if (!on_gpu()) {
      return check([](ProductShape shape, const Values& a, const Values& b) {
        return solve::product(DenseView<T>{shape.rows, shape.inner, a},
                              DenseView<T>{shape.inner, shape.columns, b}, Device::cpu);
      });
    }
    for (const auto& way : kernels<DeviceProduct<T>>()) {
      SCOPED_TRACE(testing::Message() << way.name << ' ' << way.block);
      check([&](ProductShape shape, const Values& a, const Values& b) {
        Values c(static_cast<std::size_t>(shape.rows * shape.columns), T{NAN});
        way.run(shape, a, b, c, nullptr);
        return c;
      });
    }
  }

  template <class T>
  static void against_eigen(ProductShape shape);
};

/// Expects C to be A B within the bound on any order of sums in T: (inner + 1) units in the last
/// place of the sum of the products' magnitudes.
template <class T>
void expect_product(ProductShape shape, const std::vector<T>& a, const std::vector<T>& b,
                    const std::vector<T>& c) {
  SCOPED_TRACE(testing::Message() << shape.rows << " x " << shape.inner << " x " << shape.columns);
  const Wide left = wide(shape.rows, shape.inner, a), right = wide(shape.inner, shape.columns, b);
  const long double units = static_cast<long double>(shape.inner + 1) * unit_roundoff<T>;
  expect_within(c, left * right, units * left.cwiseAbs() * right.cwiseAbs());
}

template <class T>
void ProductKernels::against_eigen(ProductShape shape) {
  const auto a = random_values<T>(shape.rows * shape.inner, 1);
  const auto b = random_values<T>(shape.inner * shape.columns, 2);
  each_way<T>([&](const auto& multiply) { expect_product(shape, a, b, multiply(shape, a, b)); });
}

TEST_F(ProductKernels, ByHandAndOfEmptyShapes) {
  using Floats = std::vector<float>;
  each_way<float>([](const auto& multiply) {
    EXPECT_EQ(multiply({2, 3, 2}, {1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}),
              (Floats{58, 64, 139, 154}));
    EXPECT_EQ(multiply({1, 0, 2}, {}, {}), (Floats{0, 0}));
    EXPECT_TRUE(multiply({0, 5, 2}, {}, Floats(10)).empty());
    EXPECT_TRUE(multiply({0, 0, 0}, {}, {}).empty());
  });
}

TEST_F(ProductKernels, EveryKernelAndShape) {
  const std::vector<ProductShape> shapes{
      {1, 1, 1},      {1, 7, 1},       {2, 3, 5},     {11, 13, 17},  {12, 32, 32},  {13, 33, 33},
      {31, 33, 32},   {32, 16, 32},    {64, 64, 64},  {65, 17, 63},  {31, 256, 65}, {121, 257, 64},
      {128, 32, 128}, {129, 100, 132}, {1, 600, 300}, {300, 600, 1}, {130, 520, 97}};
  for (const ProductShape shape : shapes) {
    against_eigen<float>(shape);
    against_eigen<double>(shape);
  }
}

TEST_F(ProductKernels, AreNamed) {
  const std::vector<float> a{1, 2, 3, 4};
  const DenseView<float> matrix{2, 2, a}, row{1, 4, a};
  for (const std::string kernel : {"auto", "naive", "tiled"}) {
    const auto squared = [&] { return solve::product(matrix, matrix, device(), kernel); };
    if (on_gpu() || kernel == "auto") {
      EXPECT_EQ(squared(), (std::vector<float>{7, 10, 15, 22}));
    } else {
      EXPECT_TRUE(tests::contains(tests::message_of(squared), " run on a GPU; leave kernel or "));
    }
  }
  EXPECT_THROW(solve::product(matrix, matrix, {}, "none"), InputError);
  EXPECT_EQ(tests::message_of([&] { solve::product(row, row); }),
            "A is 1 x 4, B is 1 x 4: A's columns must match B's rows");
  // Rows without columns take no memory, but a result has an element for each.
  constexpr std::int64_t many = std::int64_t{1} << 32;
  EXPECT_THROW(solve::product(DenseView<float>{many, 0, {}}, {0, many, {}}), CannotRun);
}

// In one process. Where cuBLAS is not installed, the tiled kernel computes.
TEST_F(ProductKernels, OnEachOfSeveralGpus) {
  if (!on_gpu()) return;
  if (cuda::devices().size() < 2) GTEST_SKIP() << "one GPU";
  const std::vector<float> values{1, 2, 3, 4};
  const DenseView<float> matrix{2, 2, values};
  for (const int gpu : {0, 1, 0}) {
    EXPECT_EQ(solve::product(matrix, matrix, {Device::cuda, gpu}),
              (std::vector<float>{7, 10, 15, 22}));
  }
}

// More tiles than a GPU has multiprocessors; wider than a panel on the CPU.
TEST_F(ProductKernels, LargeShapes) {
  against_eigen<float>({14, 20, 3100});
  if (!on_gpu()) return;
  against_eigen<float>({1300, 72, 516});
  against_eigen<float>({517, 131, 1301});
}

// Large enough to run on several threads, whose blocks of rows differ with their number.
TEST_F(ProductKernels, TheSameBitsOnAnyNumberOfThreads) {
  if (on_gpu()) return;
  const auto expect_the_product = []<class T>(T /*type*/) {
    const ProductShape shape{290, 300, 150};
    const auto a = random_values<T>(shape.rows * shape.inner, 1);
    const auto b = random_values<T>(shape.inner * shape.columns, 2);
    each_way<T>([&](const auto& multiply) {
      const auto c = expect_the_same_on_any_threads([&] { return multiply(shape, a, b); });
      expect_product(shape, a, b, c);
    });
  };
  expect_the_product(float{});
  expect_the_product(double{});
}

}  // namespace
