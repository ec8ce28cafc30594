#include "solvers/study.hpp"

#include <fmt/format.h>

#include "bombard/solve.hpp"
#include "kernels/base/host_memory.hpp"
#include "solvers/generation.hpp"
#include "solvers/matrices.hpp"
#include "solvers/product/product.hpp"

namespace bombard {

void measure_products(Findings& findings, std::int64_t n) {
  require_host_memory(6 * 4 * n * n, fmt::format("the study of products of {} rows", n));
  const DenseMatrix<float> a{n, n, generate_values<float>(n * n, -1, 1, 1)};
  const DenseMatrix<float> b{n, n, generate_values<float>(n * n, -1, 1, 2)};
  const auto left = in_eigen<float>(a);
  const auto right = in_eigen<float>(b);
  using Product = RowMajor<float>;
  const auto size = static_cast<double>(n);
  Ways<Product> ways{findings, "product", n, 2 * size * size * size};
  ways.on_cpu("Eigen on one core", [&](Product& c) { c.noalias() = left * right; });
  ways.on_cpu("bombard on all cores", [&](Product& c) {
    c = in_eigen<float>({n, n, solve::product<float>(a, b, Device::cpu)});
  });
  ways.on_gpu<DeviceProduct<float>>([&](auto run, Product& c, double* seconds) {
    run({n, n, n}, a.values, b.values, std::span(c.data(), a.values.size()), seconds);
  });
  ways.compare(Product::Constant(n, n, static_cast<float>(unknown)),
               [=](const Product& found, const Product& expected) {
                 // A product is at most 1: sums in any order are within n + 1 units in the last
                 // place of n.
                 return (found - expected).cwiseAbs().maxCoeff<Eigen::PropagateNaN>() /
                        (2 * (size + 1) * 0x1p-24 * size);
               });
}

}  // namespace bombard
