#include "solvers/study.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <cmath>
#include <tuple>

#include "kernels/base/host_memory.hpp"
#include "solvers/product/multiply.hpp"

namespace bombard {

namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Stored = Eigen::Map<const RowMajor>;

/// The product of a square matrix and a vector, or of their magnitudes.
Eigen::VectorXd times(std::span<const float> matrix, const Eigen::VectorXd& x,
                      bool magnitudes = false) {
  Eigen::VectorXd y(x.size());
#pragma omp parallel for schedule(static)
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const float* row = matrix.data() + i * x.size();
    double sum = 0;
    for (Eigen::Index j = 0; j < x.size(); ++j) {
      sum += (magnitudes ? std::abs(row[j]) * std::abs(x[j]) : row[j] * x[j]);
    }
    y[i] = sum;
  }
  return y;
}

/// One core, no blocking; the order of the loops that reads memory in order.
void product_by_loop(std::int64_t n, std::span<const float> a, std::span<const float> b,
                     std::span<float> c) {
  std::ranges::fill(c, 0.0F);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t k = 0; k < n; ++k) {
      const float factor = a[static_cast<std::size_t>(i * n + k)];
      for (std::int64_t j = 0; j < n; ++j) {
        c[static_cast<std::size_t>(i * n + j)] += factor * b[static_cast<std::size_t>(k * n + j)];
      }
    }
  }
}

constexpr std::tuple<ProductKernel, const char*, int> kernels_on_device[] = {
    {ProductKernel::naive, "naive", 8},  {ProductKernel::naive, "naive", 16},
    {ProductKernel::naive, "naive", 32}, {ProductKernel::tiled, "tiled", 32},
    {ProductKernel::tiled, "tiled", 64}, {ProductKernel::tiled, "tiled", 128},
    {ProductKernel::cublas, "cuBLAS", 0}};

}  // namespace

void measure_products(StudyFindings& findings, const StudyRequest& request, std::int64_t n) {
  require_host_memory(3 * 4 * n * n, fmt::format("the study of products of {} rows", n));
  const auto a = study_values<float>(n * n, 1);
  const auto b = study_values<float>(n * n, 2);
  std::vector<float> c(a.size());
  // Freivalds' check: C r against A (B r) for a random r, in double; the bound holds for sums in
  // float in any order, (inner + 1) units in the last place of |A| |B| |r|.
  const auto random = study_values<double>(n, 77);
  const Eigen::VectorXd r = Eigen::Map<const Eigen::VectorXd>(random.data(), n);
  const Eigen::VectorXd expected = times(a, times(b, r));
  const Eigen::VectorXd bound =
      static_cast<double>(n + 1) * 0x1p-24 * times(a, times(b, r, true), true);
  double loop = std::nan("");
  const auto add = [&](const std::string& method, std::int64_t block, double seconds) {
    const double error = (times(c, r) - expected).cwiseAbs().cwiseQuotient(bound).maxCoeff();
    const double operations = 2.0 * static_cast<double>(n) * static_cast<double>(n * n);
    findings.table.add({n, method, block, 1e3 * seconds, 1e-9 * operations / seconds,
                        loop / seconds, error, findings.checked(error <= 1)});
    std::ranges::fill(c, std::nanf(""));
  };
  if (request.cpu) {
    loop = host_seconds([&] { product_by_loop(n, a, b, c); });
    add("loop on one core", 0, loop);
    Eigen::Map<RowMajor> product(c.data(), n, n);
    const Stored left(a.data(), n, n);
    const Stored right(b.data(), n, n);
    const double eigen = host_seconds([&] { product.noalias() = left * right; });
    add("Eigen", 0, eigen);
    add("bombard on all cores", 0, host_seconds([&] { cpu::product<float>({n, n, n}, a, b, c); }));
  }
  if (!request.gpu) return;
  for (const auto& [kernel, name, block] : kernels_on_device) {
    if (kernel == ProductKernel::cublas && !on_device<DeviceLimits>().has_cublas()) continue;
    KernelTiming timing;
    on_device<DeviceProduct<float>>().multiply({n, n, n}, a, b, c, kernel, block, &timing);
    add(name, block, timing.seconds);
  }
}

}  // namespace bombard
