#include <fmt/format.h>

#include <Eigen/Core>
#include <cmath>

#include "kernels/base/host_memory.hpp"
#include "solvers/study.hpp"
#include "solvers/sums/row_dots.hpp"

namespace bombard {

namespace {

void dots_by_loop(std::int64_t n, std::span<const float> a, std::span<const float> b,
                  std::span<double> dots) {
  for (std::int64_t i = 0; i < n; ++i) {
    double sum = 0;
    for (auto j = static_cast<std::size_t>(i * n); j < static_cast<std::size_t>((i + 1) * n); ++j) {
      sum += static_cast<double>(a[j]) * static_cast<double>(b[j]);
    }
    dots[static_cast<std::size_t>(i)] = sum;
  }
}

}  // namespace

void measure_dots(StudyFindings& findings, const StudyRequest& request, std::int64_t n) {
  require_host_memory(2 * 4 * n * n, fmt::format("the study of scalar products of {} rows", n));
  const auto a = study_values<float>(n * n, 1);
  const auto b = study_values<float>(n * n, 2);
  std::vector<double> expected(static_cast<std::size_t>(n));
  const double loop = host_seconds([&] { dots_by_loop(n, a, b, expected); });
  std::vector<double> dots = expected;
  const auto elements = static_cast<double>(n) * static_cast<double>(n);
  // A product is at most 1: sums in any order are within n units in the last place of n.
  const auto add = [&](const std::string& method, std::int64_t block, double seconds, double unit) {
    double error = 0;
    for (std::size_t i = 0; i < dots.size(); ++i) {
      error = std::max(error, std::abs(dots[i] - expected[i]));
    }
    const bool valid = error <= static_cast<double>(n) * unit * static_cast<double>(n);
    const double bandwidth = 8 * elements / seconds;
    findings.table.add({n, method, block, 1e3 * seconds, 1e-9 * 2 * elements / seconds,
                        1e-9 * bandwidth, bandwidth / findings.copy_bandwidth, loop / seconds,
                        error, findings.checked(valid)});
    std::ranges::fill(dots, std::nan(""));
  };
  constexpr double in_single = 0x1p-24;
  constexpr double in_double = 0x1p-53;
  add("loop on one core", 0, loop, in_double);
  if (request.cpu) {
    using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::Map<const RowMajor> left(a.data(), n, n);
    const Eigen::Map<const RowMajor> right(b.data(), n, n);
    Eigen::VectorXf in_float(n);
    const double eigen = host_seconds([&] { in_float = left.cwiseProduct(right).rowwise().sum(); });
    std::ranges::copy(in_float, dots.begin());
    add("Eigen in float", 0, eigen, in_single);
    Eigen::Map<Eigen::VectorXd> in_double_there(dots.data(), n);
    const double wide = host_seconds([&] {
      in_double_there = left.cast<double>().cwiseProduct(right.cast<double>()).rowwise().sum();
    });
    add("Eigen in double", 0, wide, in_double);
    const double own = host_seconds([&] { cpu::row_dots<float>(n, a, b, dots); });
    add("bombard on all cores", 0, own, in_double);
  }
  if (!request.gpu) return;
  const auto measure = [&](const std::string& method, RowDotsKernel kernel, int threads,
                           double unit) {
    KernelTiming timing;
    on_device<DeviceRowDots<float>>().dots(n, a, b, dots, kernel, threads, &timing);
    add(method, threads, timing.seconds, unit);
  };
  for (const int threads : {32, 128, 256, 512, 1024}) {
    measure("in-house", RowDotsKernel::inhouse, threads, in_double);
  }
  if (on_device<DeviceLimits>().has_cublas()) {
    measure("cuBLAS batched gemm in float", RowDotsKernel::cublas, 0, in_single);
  }
}

}  // namespace bombard
