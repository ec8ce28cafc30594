#include <fmt/format.h>

#include "bombard/solve.hpp"
#include "kernels/base/host_memory.hpp"
#include "solvers/generation.hpp"
#include "solvers/matrices.hpp"
#include "solvers/study.hpp"
#include "solvers/sums/dot.hpp"

namespace bombard {

void measure_dots(Findings& findings, std::int64_t n) {
  require_host_memory(2 * 4 * n * n, fmt::format("the study of scalar products of {} rows", n));
  const DenseMatrix<float> a{n, n, generate_values<float>(n * n, -1, 1, 1)};
  const DenseMatrix<float> b{n, n, generate_values<float>(n * n, -1, 1, 2)};
  const auto left = in_eigen<float>(a);
  const auto right = in_eigen<float>(b);
  using Dots = Eigen::VectorXd;
  const auto size = static_cast<double>(n);
  Ways<Dots> ways{findings, "dot", n, 2 * size * size, 8 * size * size};
  ways.on_cpu("loop on one core", [&](Dots& dots) {
    for (std::int64_t i = 0; i < n; ++i) {
      double sum = 0;
      for (std::int64_t j = 0; j < n; ++j) sum += static_cast<double>(left(i, j)) * right(i, j);
      dots[i] = sum;
    }
  });
  ways.on_cpu("Eigen on one core",
              [&](Dots& dots) { dots = left.cwiseProduct(right).rowwise().sum().cast<double>(); });
  ways.on_cpu("bombard on all cores",
              [&](Dots& dots) { dots = in_eigen<double>(solve::dot<float>(a, b, Device::cpu)); });
  ways.on_gpu<DeviceDot<float>>([&](auto run, Dots& dots, double* seconds) {
    run(a, b, std::span(dots.data(), a.rows), seconds);
  });
  ways.compare(Dots::Constant(n, unknown), [=](const Dots& found, const Dots& expected) {
    // A product is at most 1: sums of float in any order are within n units in the last
    // place of n.
    return (found - expected).cwiseAbs().maxCoeff<Eigen::PropagateNaN>() / (size * 0x1p-24 * size);
  });
}

}  // namespace bombard
