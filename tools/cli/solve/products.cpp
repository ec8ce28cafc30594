#include "solvers/matrices.hpp"
#include "tools/cli/solve/problems.hpp"

namespace bombard::tools {

namespace {

/// Compares sums of products, multiply(a, b), with Eigen's in double. Both obey
/// |error| <= bound * sum |a b|.
template <class Found, class T, class Multiply>
int compare_products(const SolveRequest& request, const std::vector<Found>& found,
                     const DenseMatrix<T>& a, const DenseMatrix<T>& b, const Multiply& multiply) {
  const RowMajor<double> left = in_eigen<T>(a).template cast<double>();
  const RowMajor<double> right = in_eigen<T>(b).template cast<double>();
  const RowMajor<double> expected = multiply(left, right);
  const RowMajor<double> sizes = multiply(left.cwiseAbs(), right.cwiseAbs());
  return compare(request, in_eigen<Found>(found).template cast<double>().array(),
                 expected.reshaped<Eigen::RowMajor>().array(),
                 rounding_bound<Found>(a.columns) * sizes.reshaped<Eigen::RowMajor>().array());
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
    write_result(request, c, {a.rows, b.columns});
    if (!request.validate) return 0;
    return compare_products(request, c, a, b, [](const auto& left, const auto& right) {
      return RowMajor<double>(left * right);
    });
  });
}

int solve_dot(const Arguments& given) {
  SolveRequest request(given);
  return in_precision(request, [&]<class T>(T) {
    const DenseMatrix<T> a = read_dense_matrix<T>(request.files[0]);
    const DenseMatrix<T> b = read_dense_matrix<T>(request.files[1]);
    const std::vector<double> dots =
        naming_files(request, [&] { return solve::dot<T>(a, b, request.device); });
    write_result(request, dots, {a.rows});
    if (!request.validate) return 0;
    return compare_products(request, dots, a, b, [](const auto& left, const auto& right) {
      return RowMajor<double>(left.cwiseProduct(right).rowwise().sum());
    });
  });
}

}  // namespace bombard::tools
