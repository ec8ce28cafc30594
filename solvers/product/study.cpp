#include "solvers/study.hpp"

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <tuple>

#include "bombard/solve.hpp"
#include "kernels/base/host_memory.hpp"
#include "solvers/eigen_views.hpp"
#include "solvers/generation.hpp"
#include "solvers/product/product.hpp"

namespace bombard {

namespace {

constexpr std::tuple<ProductKernel, const char*, int> kernels_on_device[] = {
    {ProductKernel::naive, "naive", 8},  {ProductKernel::naive, "naive", 16},
    {ProductKernel::naive, "naive", 32}, {ProductKernel::tiled, "tiled", 32},
    {ProductKernel::tiled, "tiled", 64}, {ProductKernel::tiled, "tiled", 128},
    {ProductKernel::cublas, "cuBLAS", 0}};

}  // namespace

void measure_products(StudyFindings& findings, const StudyRequest& request, std::int64_t n) {
  require_host_memory(5 * 4 * n * n, fmt::format("the study of products of {} rows", n));
  const auto a_values = generate_values<float>(n * n, -1, 1, 1);
  const auto b_values = generate_values<float>(n * n, -1, 1, 2);
  const DenseView<float> a_view{n, n, a_values};
  const DenseView<float> b_view{n, n, b_values};
  const auto a = in_eigen(a_view);
  const auto b = in_eigen(b_view);
  RowMajor<float> c(n, n);
  const double eigen = host_seconds([&] { c.noalias() = a * b; });
  const RowMajor<float> expected = c;
  const auto size = static_cast<double>(n);
  double loop = unknown;
  const auto add = [&](const std::string& method, std::int64_t block, double seconds) {
    // A product is at most 1: sums in any order are within n + 1 units in the last place of n.
    const double error = (c - expected).cwiseAbs().maxCoeff<Eigen::PropagateNaN>() /
                         (2 * (size + 1) * 0x1p-24 * size);
    findings.table.add({n, method, block, 1e3 * seconds, 1e-9 * 2 * size * size * size / seconds,
                        loop / seconds, error, findings.checked(error <= 1)});
    c.setConstant(std::nanf(""));
  };
  if (request.cpu) {
    // The order of loops that reads memory in order.
    loop = host_seconds([&] {
      c.setZero();
      for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t k = 0; k < n; ++k) {
          for (std::int64_t j = 0; j < n; ++j) c(i, j) += a(i, k) * b(k, j);
        }
      }
    });
    add("loop on one core", 0, loop);
    c = expected;
    add("Eigen", 0, eigen);
    std::vector<float> product;
    const double own =
        host_seconds([&] { product = solve::product(a_view, b_view, {.device = Device::cpu}); });
    c = in_eigen<float>({n, n, product});
    add("bombard on all cores", 0, own);
  }
  if (!request.gpu) return;
  for (const auto& [kernel, name, block] : kernels_on_device) {
    if (kernel == ProductKernel::cublas && !on_device<DeviceLimits>().has_cublas()) continue;
    KernelTiming timing;
    const std::span found(c.data(), static_cast<std::size_t>(c.size()));
    on_device<DeviceProduct<float>>().multiply({n, n, n}, a_values, b_values, found, kernel, block,
                                               &timing);
    add(name, block, timing.seconds);
  }
}

}  // namespace bombard
