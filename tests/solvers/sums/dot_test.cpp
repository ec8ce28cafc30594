// Scalar products of rows against Eigen in long double.

#include "solvers/sums/dot.hpp"

#include <vector>

#include "bombard/solve.hpp"
#include "tests/kernels/base/random_values.hpp"
#include "tests/solvers/backend.hpp"
#include "tests/solvers/wide.hpp"
#include "tests/text.hpp"

using namespace bombard;

namespace {

class DotKernels : public BackendTest {
 protected:
  /// Calls check(dots) for each kernel here: dots(A, B) of matrices of this shape.
  template <class T, class Check>
  static void each_way(std::int64_t rows, std::int64_t columns, const Check& check) {
    using Values = std::vector<T>;
    if (!on_gpu()) {
      return check([=](const Values& a, const Values& b) {
        return solve::dot(DenseView<T>{rows, columns, a}, DenseView<T>{rows, columns, b},
                          Device::cpu);
      });
    }
    for (const auto& way : kernels<DeviceDot<T>>()) {
      SCOPED_TRACE(testing::Message() << way.block << " threads");
      check([&](const Values& a, const Values& b) {
        std::vector<double> dots(static_cast<std::size_t>(rows), 5);
        way.run({rows, columns, a}, {rows, columns, b}, dots, nullptr);
        return dots;
      });
    }
  }
  template <class T>
  static void against_eigen(std::int64_t rows, std::int64_t columns) {
    const auto a = random_values<T>(rows * columns, 1);
    const auto b = random_values<T>(rows * columns, 2);
    const Wide products = wide(rows, columns, a).cwiseProduct(wide(rows, columns, b));
    const long double units = static_cast<long double>(columns) * unit_roundoff<double>;
    each_way<T>(rows, columns, [&](const auto& dots) {
      expect_within(dots(a, b), products.rowwise().sum(),
                    units * products.cwiseAbs().rowwise().sum());
    });
  }
};

TEST_F(DotKernels, ByHand) {
  using Dots = std::vector<double>;
  each_way<float>(2, 3, [](const auto& dots) {
    EXPECT_EQ(dots({1, 2, 3, -1, 0.5F, 0}, {4, 5, 6, 2, 2, 9}), (Dots{32, -1}));
  });
  each_way<double>(2, 0, [](const auto& dots) { EXPECT_EQ(dots({}, {}), (Dots{0, 0})); });
}

TEST_F(DotKernels, RefuseWhatTheyCannotAddUp) {
  const std::vector<double> two(2);
  EXPECT_EQ(tests::message_of([&] {
              solve::dot(DenseView<double>{1, 2, two}, {2, 1, two}, device());
            }),
            "A is 1 x 2, B is 2 x 1: a row of one goes with a row of the other, so the shapes must "
            "match");
  const DenseView<double> tall{std::int64_t{1} << 61, 0, {}};
  EXPECT_THROW(solve::dot(tall, tall, device()), CannotRun);
}

TEST_F(DotKernels, AgainstEigen) {
  for (const std::int64_t columns : {1, 2, 3, 7, 8, 31, 32, 33, 64, 127, 1000, 1024, 4099, 10007}) {
    against_eigen<float>(11, columns);
    against_eigen<double>(11, columns);
  }
  against_eigen<float>(1009, 130);
}

}  // namespace
