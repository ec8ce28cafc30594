#include "solvers/study.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <cmath>

#include "kernels/base/host_memory.hpp"
#include "solvers/jacobi/sweeps.hpp"

namespace bombard {

namespace {

struct System {
  std::vector<float> a, diagonal, b;
};

/// Random, the diagonal twice the sum of its row's other magnitudes: each sweep halves the error.
System dominant_system(std::int64_t n) {
  System system{study_values<float>(n * n, 1), std::vector<float>(static_cast<std::size_t>(n)),
                study_values<float>(n, 2)};
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) {
    float* row = system.a.data() + i * n;
    double others = -std::abs(row[i]);
    for (std::int64_t j = 0; j < n; ++j) others += std::abs(row[j]);
    row[i] = system.diagonal[static_cast<std::size_t>(i)] = static_cast<float>(2 * others + 1);
  }
  return system;
}

/// The change of the last sweep, as the other implementations compute it in each.
float sweeps_by_loop(std::int64_t n, const System& system, std::span<float> x,
                     std::int64_t sweeps) {
  std::vector<float> next(x.size());
  float change = 0;
  for (std::int64_t sweep = 0; sweep < sweeps; ++sweep) {
    float difference = 0;
    float size = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const float* row = system.a.data() + i * n;
      float sum = 0;
      for (std::int64_t j = 0; j < n; ++j) sum += row[j] * x[static_cast<std::size_t>(j)];
      const auto here = static_cast<std::size_t>(i);
      next[here] = x[here] + (system.b[here] - sum) / system.diagonal[here];
      difference = std::max(difference, std::abs(next[here] - x[here]));
      size = std::max(size, std::abs(next[here]));
    }
    std::ranges::copy(next, x.begin());
    change = difference / size;
  }
  return change;
}

float sweeps_by_eigen(std::int64_t n, const System& system, std::span<float> x_values,
                      std::int64_t sweeps) {
  using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const RowMajor> a(system.a.data(), n, n);
  const Eigen::Map<const Eigen::VectorXf> diagonal(system.diagonal.data(), n);
  const Eigen::Map<const Eigen::VectorXf> b(system.b.data(), n);
  Eigen::Map<Eigen::VectorXf> x(x_values.data(), n);
  float change = 0;
  for (std::int64_t sweep = 0; sweep < sweeps; ++sweep) {
    const Eigen::VectorXf step = (b - a * x).cwiseQuotient(diagonal);
    x += step;
    change = step.cwiseAbs().maxCoeff() / x.cwiseAbs().maxCoeff();
  }
  return change;
}

/// A fixed number of sweeps from zero, with a tolerance that no sweep reaches: times of the same
/// work. Enough of them that what a call costs besides is little.
void jacobi(StudyFindings& findings, const StudyRequest& request, std::int64_t n, double copy) {
  require_host_memory(4 * n * n, fmt::format("the study of Jacobi's sweeps over {} rows", n));
  constexpr double never = -1;
  const std::int64_t sweeps = std::clamp<std::int64_t>(2'000'000'000 / (n * n), 5, 500);
  const System system = dominant_system(n);
  std::vector<float> expected(static_cast<std::size_t>(n));
  sweeps_by_loop(n, system, expected, sweeps);
  float largest = 0;
  for (const float value : expected) largest = std::max(largest, std::abs(value));
  const DenseView<float> a{n, n, system.a};
  std::vector<float> x;
  double loop = std::nan("");
  const auto add = [&](const std::string& method, double seconds) {
    double error = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      error = std::max(error, static_cast<double>(std::abs(x[i] - expected[i])) / largest);
      if (std::isnan(x[i])) error = std::nan("");
    }
    // Two sums of n products, each within (n + 5) units in the last place; halved sweep by sweep.
    const bool valid = error <= 4 * static_cast<double>(n + 5) * 0x1p-24;
    const double a_sweep = seconds / static_cast<double>(sweeps);
    const double bandwidth = 4.0 * static_cast<double>(n) * static_cast<double>(n) / a_sweep;
    findings.table.add({n, method, 1e6 * a_sweep, 1e-9 * bandwidth, bandwidth / copy,
                        loop / seconds, error, findings.checked(valid)});
  };
  if (request.cpu) {
    const auto from_zero = [&](const auto& iterate) {
      return host_seconds([&] {
        x.assign(static_cast<std::size_t>(n), 0);
        iterate();
      });
    };
    volatile float change = 0;
    loop = from_zero([&] { change = sweeps_by_loop(n, system, x, sweeps); });
    add("loop on one core", loop);
    const double eigen = from_zero([&] { change = sweeps_by_eigen(n, system, x, sweeps); });
    add("Eigen", eigen);
    const double own =
        from_zero([&] { cpu::jacobi<float>(a, system.diagonal, system.b, x, never, sweeps); });
    add("bombard on all cores", own);
  }
  if (!request.gpu) return;
  for (const JacobiKernel kernel : {JacobiKernel::inhouse, JacobiKernel::gemv}) {
    const bool inhouse = kernel == JacobiKernel::inhouse;
    if (!inhouse && !on_device<DeviceLimits>().has_cublas()) continue;
    x.assign(static_cast<std::size_t>(n), 0);
    KernelTiming timing;
    on_device<DeviceJacobi<float, DenseView<float>>>().iterate(a, system.diagonal, system.b, x,
                                                               {never, sweeps}, kernel, &timing);
    add(inhouse ? "in-house in one launch" : "cuBLAS gemv and a check a sweep", timing.seconds);
  }
}

}  // namespace

StudyFindings study_jacobi(const StudyRequest& request) {
  StudyFindings findings{
      Table({"n", "method", "microseconds/sweep", "GB/s", "of copy", "speed-up", "error", "valid"}),
      {}};
  const double copy = copy_bandwidth(request, findings);
  for (const std::int64_t n : request.sizes_or({256, 512, 2048, 8192})) {
    jacobi(findings, request, n, copy);
  }
  return findings;
}

}  // namespace bombard
