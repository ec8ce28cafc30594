#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "bombard/solve.hpp"
#include "solvers/product/reference.hpp"
#include "solvers/sums/reference.hpp"
#include "tools/cli/solve/problems.hpp"

namespace bombard::tools {

namespace {

template <class T>
DenseMatrix<T> absolute(DenseMatrix<T> matrix) {
  for (T& value : matrix.values) value = std::abs(value);
  return matrix;
}

/// Compares sums of products with Eigen's in double. Both obey |error| <= gamma * sum |a b|, the
/// found ones with the unit 2^-bits, Eigen's with 2^-53.
template <class Found>
int compare_products(const SolveRequest& request, const std::vector<Found>& found,
                     const std::vector<double>& reference, const std::vector<double>& sum_of_sizes,
                     std::int64_t terms, int bits) {
  const double bound = rounding_bound(terms, bits) + rounding_bound(terms, 53);
  return compare(
      request, found, reference, [&](std::size_t i) { return bound * sum_of_sizes[i]; },
      "Eigen in double");
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
    return compare_products(request, c, product_reference<T>(a, b),
                            product_reference<T>(absolute(a), absolute(b)), a.columns,
                            std::numeric_limits<T>::digits);
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
    return compare_products(request, dots, dot_reference<T>(a, b),
                            dot_reference<T>(absolute(a), absolute(b)), a.columns, 53);
  });
}

}  // namespace bombard::tools
