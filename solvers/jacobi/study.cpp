#include "solvers/study.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <cmath>

#include "kernels/base/host_memory.hpp"
#include "solvers/jacobi/sweeps.hpp"

namespace bombard {

namespace {

/// Makes each diagonal element, which are returned, twice the sum of its row's other magnitudes:
/// each sweep halves the error.
std::vector<float> make_dominant(std::int64_t n, std::span<float> a) {
  std::vector<float> diagonal(static_cast<std::size_t>(n));
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) {
    float* row = a.data() + i * n;
    double others = -std::abs(row[i]);
    for (std::int64_t j = 0; j < n; ++j) others += std::abs(row[j]);
    row[i] = diagonal[static_cast<std::size_t>(i)] = static_cast<float>(2 * others + 1);
  }
  return diagonal;
}

/// The change of the last sweep, as the other implementations compute it in each.
float sweeps_by_loop(const DenseView<float>& a, std::span<const float> diagonal,
                     std::span<const float> b, std::span<float> x, std::int64_t sweeps) {
  std::vector<float> next(x.size());
  float change = 0;
  for (std::int64_t sweep = 0; sweep < sweeps; ++sweep) {
    float difference = 0;
    float size = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float* row = a.values.data() + i * x.size();
      float sum = 0;
      for (std::size_t j = 0; j < x.size(); ++j) sum += row[j] * x[j];
      next[i] = x[i] + (b[i] - sum) / diagonal[i];
      difference = std::max(difference, std::abs(next[i] - x[i]));
      size = std::max(size, std::abs(next[i]));
    }
    std::ranges::copy(next, x.begin());
    change = difference / size;
  }
  return change;
}

float sweeps_by_eigen(const DenseView<float>& matrix, std::span<const float> diagonal_values,
                      std::span<const float> b_values, std::span<float> x_values,
                      std::int64_t sweeps) {
  using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const RowMajor> a(matrix.values.data(), matrix.rows, matrix.rows);
  const Eigen::Map<const Eigen::VectorXf> diagonal(diagonal_values.data(), matrix.rows);
  const Eigen::Map<const Eigen::VectorXf> b(b_values.data(), matrix.rows);
  Eigen::Map<Eigen::VectorXf> x(x_values.data(), matrix.rows);
  float change = 0;
  for (std::int64_t sweep = 0; sweep < sweeps; ++sweep) {
    const Eigen::VectorXf step = (b - a * x).cwiseQuotient(diagonal);
    x += step;
    change = step.cwiseAbs().maxCoeff() / x.cwiseAbs().maxCoeff();
  }
  return change;
}

}  // namespace

/// A fixed number of sweeps from zero, with a tolerance that no sweep reaches: times of the same
/// work. Enough of them that what a call costs besides is little.
void measure_jacobi(StudyFindings& findings, const StudyRequest& request, std::int64_t n) {
  require_host_memory(4 * n * n, fmt::format("the study of Jacobi's sweeps over {} rows", n));
  constexpr double never = -1;
  const std::int64_t sweeps = std::clamp<std::int64_t>(2'000'000'000 / (n * n), 5, 500);
  auto values = study_values<float>(n * n, 1);
  const std::vector<float> diagonal = make_dominant(n, values);
  const auto b = study_values<float>(n, 2);
  const DenseView<float> a{n, n, values};
  std::vector<float> expected(static_cast<std::size_t>(n));
  sweeps_by_loop(a, diagonal, b, expected, sweeps);
  float largest = 0;
  for (const float value : expected) largest = std::max(largest, std::abs(value));
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
    findings.table.add({n, method, 1e6 * a_sweep, 1e-9 * bandwidth,
                        bandwidth / findings.copy_bandwidth, loop / seconds, error,
                        findings.checked(valid)});
  };
  if (request.cpu) {
    const auto from_zero = [&](const auto& iterate) {
      return host_seconds([&] {
        x.assign(static_cast<std::size_t>(n), 0);
        iterate();
      });
    };
    volatile float change = 0;
    loop = from_zero([&] { change = sweeps_by_loop(a, diagonal, b, x, sweeps); });
    add("loop on one core", loop);
    const double eigen = from_zero([&] { change = sweeps_by_eigen(a, diagonal, b, x, sweeps); });
    add("Eigen", eigen);
    const double own = from_zero([&] { cpu::jacobi<float>(a, diagonal, b, x, never, sweeps); });
    add("bombard on all cores", own);
  }
  if (!request.gpu) return;
  for (const JacobiKernel kernel : {JacobiKernel::inhouse, JacobiKernel::gemv}) {
    const bool inhouse = kernel == JacobiKernel::inhouse;
    if (!inhouse && !on_device<DeviceLimits>().has_cublas()) continue;
    x.assign(static_cast<std::size_t>(n), 0);
    KernelTiming timing;
    on_device<DeviceJacobi<float, DenseView<float>>>().iterate(a, diagonal, b, x, {never, sweeps},
                                                               kernel, &timing);
    add(inhouse ? "in-house in one launch" : "cuBLAS gemv and a check a sweep", timing.seconds);
  }
}

}  // namespace bombard
