// Scalar products of rows on the processor, with every instruction set, against long double loops.

#include "solvers/sums/row_dots.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/base/instruction_set.hpp"
#include "tests/kernels/base/random_values.hpp"

using namespace bombard;

namespace {

template <class T>
void against_loop(std::int64_t rows, std::int64_t columns) {
  const auto a = random_values<T>(rows * columns, 1);
  const auto b = random_values<T>(rows * columns, 2);
  std::vector<double> dots(static_cast<std::size_t>(rows), -1);
  cpu::row_dots<T>(columns, a, b, dots);
  for (std::int64_t row = 0; row < rows; ++row) {
    long double exact = 0;
    long double sizes = 0;
    for (std::int64_t j = row * columns; j < (row + 1) * columns; ++j) {
      const auto product = static_cast<long double>(a[j]) * static_cast<long double>(b[j]);
      exact += product;
      sizes += std::abs(product);
    }
    EXPECT_LE(std::abs(static_cast<long double>(dots[row]) - exact),
              static_cast<long double>(columns) * 0x1p-53L * sizes)
        << rows << " x " << columns << ", row " << row;
  }
}

TEST(RowDotsKernel, ByHand) {
  std::vector<double> dots(2);
  cpu::row_dots<float>(3, std::vector<float>{1, 2, 3, -1, 0.5F, 0},
                       std::vector<float>{4, 5, 6, 2, 2, 9}, dots);
  EXPECT_EQ(dots, (std::vector<double>{32, -1}));
}

TEST(RowDotsKernel, SumsInDouble) {
  std::vector<double> dots(1);
  cpu::row_dots<float>(3, std::vector<float>{1e8F, 1, -1e8F}, std::vector<float>{1, 1, 1}, dots);
  EXPECT_EQ(dots[0], 1);
}

TEST(RowDotsKernel, KeepsWhatLargerProductsHide) {
  for (const auto name : cpu::offered_instruction_sets()) {
    SCOPED_TRACE(name);
    cpu::use_instruction_set(name);
    for (const std::int64_t columns : {3, 33, 1000}) {
      const auto size = static_cast<std::size_t>(columns);
      std::vector<double> a(size, 0.5);
      std::vector<double> b(size, 2);
      a[0] = 1e16;
      b[size - 1] = -4e16;
      std::vector<double> dots(1);
      cpu::row_dots<double>(columns, a, b, dots);
      EXPECT_EQ(dots[0], static_cast<double>(columns - 2)) << columns;
      a[0] = INFINITY;
      cpu::row_dots<double>(columns, a, b, dots);
      EXPECT_EQ(dots[0], INFINITY);
    }
  }
  cpu::use_instruction_set(cpu::offered_instruction_sets().front());
}

TEST(RowDotsKernel, RowsOfNothingAreZero) {
  std::vector<double> dots{5, 5};
  cpu::row_dots<double>(0, {}, {}, dots);
  EXPECT_EQ(dots, (std::vector<double>{0, 0}));
}

TEST(RowDotsKernel, AgainstLoopWithEveryInstructionSet) {
  for (const auto name : cpu::offered_instruction_sets()) {
    SCOPED_TRACE(name);
    cpu::use_instruction_set(name);
    for (const std::int64_t columns : {1, 2, 7, 8, 31, 32, 33, 64, 127, 1000, 10007}) {
      against_loop<float>(3, columns);
      against_loop<double>(3, columns);
    }
    against_loop<float>(1009, 130);
  }
  cpu::use_instruction_set(cpu::offered_instruction_sets().front());
}

}  // namespace
