#include "solvers/study.hpp"

#include <fmt/format.h>

#include "bombard/solve.hpp"
#include "kernels/base/host_memory.hpp"
#include "solvers/eigen_views.hpp"
#include "solvers/generation.hpp"
#include "solvers/product/product.hpp"

namespace bombard {

void measure_products(StudyFindings& findings, std::int64_t n) {
  require_host_memory(6 * 4 * n * n, fmt::format("the study of products of {} rows", n));
  const DenseMatrix<float> a{n, n, generate_values<float>(n * n, -1, 1, 1)};
  const DenseMatrix<float> b{n, n, generate_values<float>(n * n, -1, 1, 2)};
  const auto left = in_eigen<float>(a);
  const auto right = in_eigen<float>(b);
  using Product = RowMajor<float>;
  const auto size = static_cast<double>(n);
  Comparison<Product> compare(
      findings, {"product", n, 2 * size * size * size},
      Product::Constant(n, n, static_cast<float>(unknown)),
      [=](const Product& found, const Product& expected, double unit) {
        // A product is at most 1: sums in any order are within n + 1 units in the last place of n.
        return (found - expected).cwiseAbs().maxCoeff<Eigen::PropagateNaN>() /
               (2 * (size + 1) * unit * size);
      });
  compare.on_cpu("Eigen", [&](Product& c) { c.noalias() = left * right; });
  // The loop order that reads memory in order.
  compare.on_cpu("loop on one core", [&](Product& c) {
    c.setZero();
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t k = 0; k < n; ++k) {
        for (std::int64_t j = 0; j < n; ++j) c(i, j) += left(i, k) * right(k, j);
      }
    }
  });
  compare.on_cpu("bombard on all cores", [&](Product& c) {
    c = in_eigen<float>({n, n, solve::product<float>(a, b, {.device = Device::cpu})});
  });
  compare.on_gpu<DeviceProduct<float>>([&](auto run, Product& c, KernelFigures* figures) {
    run({n, n, n}, a.values, b.values, std::span(c.data(), a.values.size()), figures);
  });
}

}  // namespace bombard
