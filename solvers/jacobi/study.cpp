#include "solvers/study.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/host_memory.hpp"
#include "solvers/eigen_views.hpp"
#include "solvers/generation.hpp"
#include "solvers/jacobi/sweeps.hpp"

namespace bombard {

/// A fixed number of sweeps from zero, with a tolerance that no sweep reaches: times of the same
/// work. Enough of them that what a call costs besides is little. Each halves the error.
void measure_jacobi(StudyFindings& findings, const StudyRequest& request, std::int64_t n) {
  require_host_memory(4 * n * n, fmt::format("the study of Jacobi's sweeps over {} rows", n));
  constexpr double never = -1;
  const std::int64_t sweeps = std::clamp<std::int64_t>(2'000'000'000 / (n * n), 5, 500);
  auto a_values = generate_values<float>(n * n, -1, 1, 1);
  const auto b_values = generate_values<float>(n, -1, 1, 2);
  std::vector<float> diagonal_values(b_values.size());
  std::vector<float> x_values(b_values.size());
  Eigen::Map<RowMajor<float>> a(a_values.data(), n, n);
  const Eigen::Map<const Eigen::VectorXf> b(b_values.data(), n);
  Eigen::Map<Eigen::VectorXf> diagonal(diagonal_values.data(), n);
  Eigen::Map<Eigen::VectorXf> x(x_values.data(), n);
  a.diagonal().setZero();
  diagonal = 2 * a.cwiseAbs().rowwise().sum().array() + 1;
  a.diagonal() = diagonal;

  const auto seconds_of = [&](const auto& iterate) {
    return host_seconds([&] {
      x.setZero();
      iterate();
    });
  };
  const double loop = seconds_of([&] {
    Eigen::VectorXf next(n);
    for (std::int64_t sweep = 0; sweep < sweeps; ++sweep) {
      for (std::int64_t i = 0; i < n; ++i) {
        float sum = 0;
        for (std::int64_t j = 0; j < n; ++j) sum += a(i, j) * x[j];
        next[i] = x[i] + (b[i] - sum) / diagonal[i];
      }
      x = next;
    }
  });
  const Eigen::VectorXf expected = x;
  const auto add = [&](const std::string& method, double seconds) {
    const double error =
        (x - expected).cwiseAbs().maxCoeff<Eigen::PropagateNaN>() / expected.cwiseAbs().maxCoeff();
    // Two sums of n products, each within (n + 5) units in the last place; halved sweep by sweep.
    const bool valid = error <= 4 * static_cast<double>(n + 5) * 0x1p-24;
    const double a_sweep = seconds / static_cast<double>(sweeps);
    const double bandwidth = 4.0 * static_cast<double>(n) * static_cast<double>(n) / a_sweep;
    findings.table.add({n, method, 1e6 * a_sweep, 1e-9 * bandwidth,
                        bandwidth / findings.copy_bandwidth, loop / seconds, error,
                        findings.checked(valid)});
  };
  const DenseView<float> matrix{n, n, a_values};
  if (request.cpu) {
    add("loop on one core", loop);
    const double eigen = seconds_of([&] {
      for (std::int64_t sweep = 0; sweep < sweeps; ++sweep)
        x += (b - a * x).cwiseQuotient(diagonal);
    });
    add("Eigen", eigen);
    const double own = seconds_of([&] {
      cpu::jacobi<float>(matrix, diagonal_values, b_values, x_values, {never, sweeps});
    });
    add("bombard on all cores", own);
  }
  if (!request.gpu) return;
  for (const JacobiKernel kernel : {JacobiKernel::inhouse, JacobiKernel::gemv}) {
    const bool inhouse = kernel == JacobiKernel::inhouse;
    if (!inhouse && !on_device<DeviceLimits>().has_cublas()) continue;
    x.setZero();
    KernelTiming timing;
    on_device<DeviceJacobi<float, DenseView<float>>>().iterate(
        matrix, diagonal_values, b_values, x_values, {never, sweeps}, kernel, &timing);
    add(inhouse ? "in-house in one launch" : "cuBLAS gemv and a check a sweep", timing.seconds);
  }
}

}  // namespace bombard
