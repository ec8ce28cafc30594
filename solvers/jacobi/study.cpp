#include "solvers/study.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/host_memory.hpp"
#include "solvers/generation.hpp"
#include "solvers/jacobi/sweeps.hpp"
#include "solvers/matrices.hpp"

namespace bombard {

/// A fixed number of sweeps from zero, with a tolerance that no sweep reaches, so that all times
/// are for the same work. There are enough sweeps that a call's other costs hardly count. Each
/// halves the error.
void measure_jacobi(Findings& findings, std::int64_t n) {
  require_host_memory(4 * n * n, fmt::format("the study of Jacobi's sweeps over {} rows", n));
  constexpr double never = -1;
  const std::int64_t sweeps = std::clamp<std::int64_t>(2'000'000'000 / (n * n), 5, 500);
  DenseMatrix<float> matrix{n, n, generate_values<float>(n * n, -1, 1, 1)};
  const auto b_values = generate_values<float>(n, -1, 1, 2);
  using X = Eigen::VectorXf;
  Eigen::Map<RowMajor<float>> a(matrix.values.data(), n, n);
  const Eigen::Map<const X> b(b_values.data(), n);
  a.diagonal().setZero();
  const X diagonal = 2 * a.cwiseAbs().rowwise().sum().array() + 1;
  a.diagonal() = diagonal;

  const DenseView<float> view = matrix;
  const auto iterate = [&](const auto& by, X& x, auto... seconds) {
    x.setZero();
    by(view, {diagonal.data(), b_values.size()}, b_values, {x.data(), b_values.size()},
       JacobiSettings{.tolerance = never, .iteration_limit = sweeps}, seconds...);
  };
  const auto size = static_cast<double>(n);
  Ways<X> ways{findings, "jacobi", n, 2 * size * size, 4 * size * size, sweeps};
  ways.on_cpu("Eigen on one core", [&](X& x) {
    x.setZero();
    for (std::int64_t sweep = 0; sweep < sweeps; ++sweep) x += (b - a * x).cwiseQuotient(diagonal);
  });
  ways.on_cpu("bombard on all cores",
              [&](X& x) { iterate(cpu::jacobi<float, DenseView<float>>, x); });
  ways.on_gpu<DeviceJacobi<float, DenseView<float>>>(
      [&](auto run, X& x, double* seconds) { iterate(run, x, seconds); });
  ways.compare(X::Zero(n), [=](const X& x, const X& expected) {
    // Two sums of n products, each within (n + 5) units in the last place; halved by each
    // sweep.
    return (x - expected).cwiseAbs().maxCoeff<Eigen::PropagateNaN>() /
           (expected.cwiseAbs().maxCoeff() * 4 * (size + 5) * 0x1p-24);
  });
}

}  // namespace bombard
