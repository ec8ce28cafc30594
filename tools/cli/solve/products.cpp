#include <fmt/format.h>

#include <limits>
#include <span>

#include "bombard/solve.hpp"
#include "solvers/eigen_views.hpp"
#include "tools/cli/solve/problems.hpp"

namespace bombard::tools {

namespace {

/// Compares sums of products, multiply(a, b), with Eigen's in double. Both obey
/// |error| <= gamma * sum |a b|, the found ones with the unit 2^-bits, Eigen's with 2^-53.
template <class T, class Found, class Multiply>
int compare_products(const SolveRequest& request, const std::vector<Found>& found,
                     const DenseMatrix<T>& a, const DenseMatrix<T>& b, int bits,
                     const Multiply& multiply) {
  const auto left = in_eigen<T>(a).template cast<double>();
  const auto right = in_eigen<T>(b).template cast<double>();
  const RowMajor<double> reference = multiply(left, right);
  const RowMajor<double> sum_of_sizes = multiply(left.cwiseAbs(), right.cwiseAbs());
  const double bound = rounding_bound(a.columns, bits) + rounding_bound(a.columns, 53);
  return compare(
      request, found, std::span(reference.data(), found.size()),
      [&](std::size_t i) { return bound * sum_of_sizes.data()[i]; }, "Eigen in double");
}

}  // namespace

int solve_product(const Arguments& given) {
  SolveRequest request(given);
  const solve::ProductSettings settings{.device = request.device,
                                        .kernel = request.kernel.empty() ? "auto" : request.kernel};
  solve::product<float>({}, {}, settings);  // refuses a wrong kernel before files are read
  return in_precision(request, [&]<class T>(T) {
    const DenseMatrix<T> a = read_dense_matrix<T>(request.files[0]);
    const DenseMatrix<T> b = read_dense_matrix<T>(request.files[1]);
    const std::vector<T> c =
        naming_files(request, [&] { return solve::product<T>(a, b, settings); });
    write_result<T>(request, c, {a.rows, b.columns});
    if (!request.validate) return 0;
    return compare_products(
        request, c, a, b, std::numeric_limits<T>::digits,
        [](const auto& left, const auto& right) { return RowMajor<double>(left * right); });
  });
}

int solve_dot(const Arguments& given) {
  SolveRequest request(given);
  return in_precision(request, [&]<class T>(T) {
    const DenseMatrix<T> a = read_dense_matrix<T>(request.files[0]);
    const DenseMatrix<T> b = read_dense_matrix<T>(request.files[1]);
    const std::vector<double> dots =
        naming_files(request, [&] { return solve::dot<T>(a, b, request.device); });
    write_result<double>(request, dots, {a.rows});
    if (!request.validate) return 0;
    return compare_products(request, dots, a, b, 53, [](const auto& left, const auto& right) {
      return RowMajor<double>(left.cwiseProduct(right).rowwise().sum());
    });
  });
}

}  // namespace bombard::tools
