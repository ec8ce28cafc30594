#include <fmt/format.h>

#include <algorithm>
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

template <class T>
int multiply(const SolveRequest& request) {
  require_kernel(request, {"naive", "tiled", "cublas"}, "multiply matrices");
  ResultWriter writer(request);
  const DenseMatrix<T> a = read_dense_matrix<T>(request.files[0]);
  const DenseMatrix<T> b = read_dense_matrix<T>(request.files[1]);
  const std::string kernel = request.kernel.empty() ? "auto" : request.kernel;
  const std::vector<T> c = naming_files(request, [&] {
    return solve::product<T>(a, b, {.device = request.device, .kernel = kernel});
  });
  writer.write<T>(c, {a.rows, b.columns});
  if (!request.validate) return 0;
  return compare_products(request, c, product_reference(a, b).values,
                          product_reference(absolute(a), absolute(b)).values, a.columns,
                          std::numeric_limits<T>::digits);
}

template <class T>
int dot(const SolveRequest& request) {
  ResultWriter writer(request);
  const DenseMatrix<T> a = read_dense_matrix<T>(request.files[0]);
  const DenseMatrix<T> b = read_dense_matrix<T>(request.files[1]);
  const std::vector<double> dots =
      naming_files(request, [&] { return solve::dot<T>(a, b, request.device); });
  writer.write<double>(dots, {static_cast<std::int64_t>(dots.size())});
  if (!request.validate) return 0;
  return compare_products(request, dots, row_dots_reference(a, b),
                          row_dots_reference(absolute(a), absolute(b)), a.columns, 53);
}

}  // namespace

int solve_product(const SolveRequest& request) {
  return request.precision == Precision::binary32 ? multiply<float>(request)
                                                  : multiply<double>(request);
}

int solve_dot(const SolveRequest& request) {
  return request.precision == Precision::binary32 ? dot<float>(request) : dot<double>(request);
}

}  // namespace bombard::tools
