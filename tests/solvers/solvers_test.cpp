// Products, scalar products, sorting and reductions as users call them.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "bombard/errors.hpp"
#include "solvers/minima/minima.hpp"
#include "solvers/product/product.hpp"
#include "solvers/references.hpp"
#include "solvers/sort/sort.hpp"
#include "solvers/sort/sort_key.hpp"
#include "solvers/sums/dot.hpp"
#include "solvers/sums/reduce.hpp"
#include "tests/kernels/base/random_values.hpp"

using namespace bombard;

namespace {

const DeviceChoice on_cpu{DeviceChoice::Kind::cpu};

template <class Call>
std::string message(const Call& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no InputError";
}

TEST(Product, ByHand) {
  const DenseMatrix<double> a{2, 3, {1, 2, 3, 4, 5, 6}};
  const DenseMatrix<double> b{3, 2, {7, 8, 9, 10, 11, 12}};
  const auto result = product<double>(a, b, ProductKernel::automatic, on_cpu);
  EXPECT_EQ(result.matrix.rows, 2);
  EXPECT_EQ(result.matrix.columns, 2);
  EXPECT_EQ(result.matrix.values, (std::vector<double>{58, 64, 139, 154}));
  EXPECT_EQ(product_reference(a, b).values, result.matrix.values);
}

TEST(Product, Errors) {
  const DenseMatrix<float> a{2, 3, std::vector<float>(6)};
  EXPECT_EQ(message([&] { product<float>(a, a, ProductKernel::automatic, on_cpu); }),
            "A is 2 x 3, B is 2 x 3: A's columns must match B's rows");
  const DenseMatrix<float> b{3, 1, std::vector<float>(3)};
  EXPECT_EQ(message([&] { product<float>(a, b, ProductKernel::tiled, on_cpu); }),
            "the kernels naive, tiled and cublas run on a GPU; leave --kernel or --device cpu out");
}

TEST(RowDots, ByHand) {
  const DenseMatrix<float> a{2, 3, {1, 2, 3, -1, 0.5F, 0}};
  const DenseMatrix<float> b{2, 3, {4, 5, 6, 2, 2, 9}};
  EXPECT_EQ(row_dots<float>(a, b, on_cpu).values, (std::vector<double>{32, -1}));
  EXPECT_EQ(row_dots_reference(a, b), (std::vector<double>{32, -1}));
}

TEST(RowDots, Errors) {
  const DenseMatrix<float> a{2, 3, std::vector<float>(6)};
  const DenseMatrix<float> b{3, 2, std::vector<float>(6)};
  EXPECT_EQ(message([&] { row_dots<float>(a, b, on_cpu); }),
            "A is 2 x 3, B is 3 x 2: a row of one goes with a row of the other, so the shapes "
            "must match");
}

template <class T>
void sorts_as_the_standard_library_does(std::int64_t size, SortOrder order) {
  auto values = random_values<T>(size, 3);
  for (std::size_t i = 0; i < values.size(); i += 5) {
    const T special[] = {NAN, -NAN, 0.0F, -0.0F, INFINITY, -INFINITY};
    values[i] = special[i / 5 % 6];
  }
  auto expected = values;
  sort_reference<T>(expected, order);
  EXPECT_FALSE(sort<T>(values, order, SortKernel::bitonic, on_cpu));
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(std::bit_cast<SortKey<T>>(values[i]), std::bit_cast<SortKey<T>>(expected[i]))
        << size << " at " << i;
  }
}

TEST(Sort, AgainstStandardSort) {
  for (const std::int64_t size : {0, 1, 2, 1000, 100003}) {
    for (const SortOrder order : {SortOrder::ascending, SortOrder::descending}) {
      sorts_as_the_standard_library_does<float>(size, order);
      sorts_as_the_standard_library_does<double>(size, order);
    }
  }
}

TEST(MinimaReference, ByHand) {
  const std::vector<std::int32_t> matrices{1, 2, 3, 4, 5, 6, 7, 8, 9,  //
                                           9, 8, 7, 6, 5, 4, 3, 2, -1};
  EXPECT_EQ(minima_reference<std::int32_t>(matrices),
            (std::array<std::int32_t, 9>{1, 2, 3, 4, 5, 4, 3, 2, -1}));
}

TEST(Reduce, ByHand) {
  EXPECT_EQ(sum<float>(std::vector<float>{1e8F, 1, -1e8F}, on_cpu), 1);
  EXPECT_EQ(maximum<std::int32_t>(std::vector<std::int32_t>{-5, -2}, on_cpu), -2);
  EXPECT_EQ(message([] { maximum<double>({}, on_cpu); }),
            "there are no values, so there is no largest");
}

}  // namespace
