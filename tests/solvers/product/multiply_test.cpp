// The product on the processor, with every instruction set, against long double loops.

#include "solvers/product/multiply.hpp"

#include <omp.h>

#include <limits>
#include <vector>

#include "kernels/base/instruction_set.hpp"
#include "tests/kernels/base/random_values.hpp"
#include "tests/solvers/product/product_oracle.hpp"

using namespace bombard;

namespace {

template <class T>
void against_loop(ProductShape shape) {
  const auto a = random_values<T>(shape.rows * shape.inner, 1);
  const auto b = random_values<T>(shape.inner * shape.columns, 2);
  std::vector<T> c(static_cast<std::size_t>(shape.rows * shape.columns),
                   std::numeric_limits<T>::quiet_NaN());
  cpu::product<T>(shape, a, b, c);
  expect_product<T>(shape, a, b, c);
}

TEST(ProductKernel, ByHand) {
  std::vector<float> c(4);
  cpu::product<float>({2, 3, 2}, std::vector<float>{1, 2, 3, 4, 5, 6},
                      std::vector<float>{7, 8, 9, 10, 11, 12}, c);
  EXPECT_EQ(c, (std::vector<float>{58, 64, 139, 154}));
}

TEST(ProductKernel, EmptyShapes) {
  std::vector<double> c{3, 3};
  cpu::product<double>({1, 0, 2}, {}, {}, c);
  EXPECT_EQ(c, (std::vector<double>{0, 0}));
  cpu::product<double>({0, 5, 2}, {}, std::vector<double>(10), {});
}

TEST(ProductKernel, AgainstLoopWithEveryInstructionSet) {
  for (const auto name : cpu::offered_instruction_sets()) {
    SCOPED_TRACE(name);
    cpu::use_instruction_set(name);
    for (const ProductShape shape : {ProductShape{1, 1, 1},
                                     {1, 7, 1},
                                     {2, 3, 5},
                                     {11, 13, 17},
                                     {12, 32, 32},
                                     {13, 33, 33},
                                     {31, 256, 65},
                                     {121, 257, 64},
                                     {1, 600, 300},
                                     {300, 600, 1},
                                     {130, 520, 97}}) {
      against_loop<float>(shape);
      against_loop<double>(shape);
    }
  }
  cpu::use_instruction_set(cpu::offered_instruction_sets().front());
}

// Large enough to run on several threads, whose blocks of rows differ with their number.
TEST(ProductKernel, TheSameBitsOnAnyNumberOfThreads) {
  const ProductShape shape{290, 300, 150};
  const auto a = random_values<float>(shape.rows * shape.inner, 1);
  const auto b = random_values<float>(shape.inner * shape.columns, 2);
  const int threads_before = omp_get_max_threads();
  std::vector<float> expected;
  for (const int threads : {1, 2, 3, 7}) {
    omp_set_num_threads(threads);
    against_loop<float>(shape);
    against_loop<double>(shape);
    std::vector<float> c(static_cast<std::size_t>(shape.rows * shape.columns));
    cpu::product<float>(shape, a, b, c);
    if (threads == 1) expected = c;
    EXPECT_EQ(c, expected) << threads << " threads";
  }
  omp_set_num_threads(threads_before);
}

TEST(ProductKernel, WiderThanAPanel) {
  against_loop<float>({14, 20, 3100});
}

}  // namespace
