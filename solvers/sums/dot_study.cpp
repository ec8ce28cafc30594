#include <fmt/format.h>

#include "bombard/solve.hpp"
#include "kernels/base/host_memory.hpp"
#include "solvers/eigen_views.hpp"
#include "solvers/generation.hpp"
#include "solvers/study.hpp"
#include "solvers/sums/dot.hpp"

namespace bombard {

void measure_dots(StudyFindings& findings, const StudyRequest& request, std::int64_t n) {
  require_host_memory(2 * 4 * n * n, fmt::format("the study of scalar products of {} rows", n));
  const auto a_values = generate_values<float>(n * n, -1, 1, 1);
  const auto b_values = generate_values<float>(n * n, -1, 1, 2);
  const DenseView<float> a{n, n, a_values};
  const DenseView<float> b{n, n, b_values};
  const auto left = in_eigen(a);
  const auto right = in_eigen(b);
  Eigen::VectorXd found(n);
  const double loop = host_seconds([&] {
    for (std::int64_t i = 0; i < n; ++i) {
      double sum = 0;
      for (std::int64_t j = 0; j < n; ++j) sum += static_cast<double>(left(i, j)) * right(i, j);
      found[i] = sum;
    }
  });
  const Eigen::VectorXd expected = found;
  const auto elements = static_cast<double>(n) * static_cast<double>(n);
  // A product is at most 1: sums in any order are within n units in the last place of n.
  const auto add = [&](const std::string& method, std::int64_t block, double seconds, double unit) {
    const double error = (found - expected).cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
    const bool valid = error <= static_cast<double>(n) * unit * static_cast<double>(n);
    const double bandwidth = 8 * elements / seconds;
    findings.table.add({n, method, block, 1e3 * seconds, 1e-9 * 2 * elements / seconds,
                        1e-9 * bandwidth, bandwidth / findings.copy_bandwidth, loop / seconds,
                        error, findings.checked(valid)});
    found.setConstant(unknown);
  };
  constexpr double in_single = 0x1p-24;
  constexpr double in_double = 0x1p-53;
  add("loop on one core", 0, loop, in_double);
  if (request.cpu) {
    Eigen::VectorXf in_float(n);
    const double eigen = host_seconds([&] { in_float = left.cwiseProduct(right).rowwise().sum(); });
    found = in_float.cast<double>();
    add("Eigen in float", 0, eigen, in_single);
    const double wide = host_seconds(
        [&] { found = left.cast<double>().cwiseProduct(right.cast<double>()).rowwise().sum(); });
    add("Eigen in double", 0, wide, in_double);
    std::vector<double> dots;
    const double own = host_seconds([&] { dots = solve::dot(a, b, Device::cpu); });
    found = Eigen::Map<const Eigen::VectorXd>(dots.data(), n);
    add("bombard on all cores", 0, own, in_double);
  }
  if (!request.gpu) return;
  const auto measure = [&](const std::string& method, DotKernel kernel, int threads, double unit) {
    KernelTiming timing;
    on_device<DeviceDot<float>>().dot(a, b, std::span(found.data(), a.rows), kernel, threads,
                                      &timing);
    add(method, threads, timing.seconds, unit);
  };
  for (const int threads : {32, 128, 256, 512, 1024}) {
    measure("in-house", DotKernel::inhouse, threads, in_double);
  }
  if (on_device<DeviceLimits>().has_cublas()) {
    measure("cuBLAS batched gemm in float", DotKernel::cublas, 0, in_single);
  }
}

}  // namespace bombard
