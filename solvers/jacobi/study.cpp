#include "solvers/study.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/host_memory.hpp"
#include "solvers/eigen_views.hpp"
#include "solvers/generation.hpp"
#include "solvers/jacobi/sweeps.hpp"

namespace bombard {

/// A fixed number of sweeps from zero, with a tolerance that no sweep reaches, so that all times
/// are for the same work. There are enough sweeps that a call's other costs hardly count. Each
/// halves the error.
void measure_jacobi(StudyFindings& findings, std::int64_t n) {
  require_host_memory(4 * n * n, fmt::format("the study of Jacobi's sweeps over {} rows", n));
  constexpr double never = -1;
  const std::int64_t sweeps = std::clamp<std::int64_t>(2'000'000'000 / (n * n), 5, 500);
  DenseMatrix<float> matrix{n, n, generate_values<float>(n * n, -1, 1, 1)};
  const auto b_values = generate_values<float>(n, -1, 1, 2);
  std::vector<float> diagonal_values(b_values.size());
  using X = Eigen::VectorXf;
  Eigen::Map<RowMajor<float>> a(matrix.values.data(), n, n);
  const Eigen::Map<const X> b(b_values.data(), n);
  Eigen::Map<X> diagonal(diagonal_values.data(), n);
  a.diagonal().setZero();
  diagonal = 2 * a.cwiseAbs().rowwise().sum().array() + 1;
  a.diagonal() = diagonal;

  const auto size = static_cast<double>(n);
  Comparison<X> compare(findings, {"jacobi", n, 2 * size * size, 4 * size * size, sweeps},
                        X::Zero(n), [=](const X& x, const X& expected, double unit) {
                          // Two sums of n products, each within (n + 5) units in the last place;
                          // halved by each sweep.
                          return (x - expected).cwiseAbs().maxCoeff<Eigen::PropagateNaN>() /
                                 (expected.cwiseAbs().maxCoeff() * 4 * (size + 5) * unit);
                        });
  compare.on_cpu("loop on one core", [&](X& x) {
    x.setZero();
    X next(n);
    for (std::int64_t sweep = 0; sweep < sweeps; ++sweep) {
      for (std::int64_t i = 0; i < n; ++i) {
        float sum = 0;
        for (std::int64_t j = 0; j < n; ++j) sum += a(i, j) * x[j];
        next[i] = x[i] + (b[i] - sum) / diagonal[i];
      }
      x = next;
    }
  });
  const DenseView<float> view = matrix;
  const auto iterate = [&](const auto& by, X& x, auto... figures) {
    const std::span whole(x.data(), b_values.size());
    const JacobiSettings stop{.tolerance = never, .iteration_limit = sweeps};
    by(view, diagonal_values, b_values, whole, stop, figures...);
  };
  compare.on_cpu("Eigen", [&](X& x) {
    x.setZero();
    for (std::int64_t sweep = 0; sweep < sweeps; ++sweep) x += (b - a * x).cwiseQuotient(diagonal);
  });
  compare.on_cpu("bombard on all cores", [&](X& x) {
    x.setZero();
    iterate(cpu::jacobi<float, DenseView<float>>, x);
  });
  compare.on_gpu<DeviceJacobi<float, DenseView<float>>>(
      [&](auto run, X& x, KernelFigures* figures) { iterate(run, x, figures); });
}

}  // namespace bombard
