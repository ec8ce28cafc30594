// The problems of matrices: jacobi, product, dot.

#include "solvers/matrices.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/jacobi/reference.hpp"
#include "tools/cli/solve/problem.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard::tools {

namespace {

solve::JacobiSettings settings_of(const Arguments& given, const Device& device) {
  using Two = std::pair<const char*, const char*>;
  for (const auto& [one, other] :
       {Two{"error", "tolerance"}, Two{"sweeps", "tolerance"}, Two{"sweeps", "error"},
        Two{"sweeps", "iterations"}, Two{"sweeps", "validate"}}) {
    if (!given.has(one) || !given.has(other)) continue;
    throw InputError(fmt::format("--{} and --{} exclude each other; leave one out", one, other));
  }
  solve::JacobiSettings settings{.device = device,
                                 .tolerance = given.real("tolerance"),
                                 .iteration_limit = given.number("iterations", 1),
                                 .force = given.has("force")};
  if (given.has("error")) settings.error = given.real("error");
  if (given.has("sweeps")) settings.sweeps = given.number("sweeps", 1);
  return settings;
}

std::string dominance_text(const Dominance& dominance) {
  if (!dominance.failing_row) {
    return dominance.failing_column ? "dominant by rows" : "dominant by rows and columns";
  }
  if (!dominance.failing_column) return "dominant by columns";
  return fmt::format("not dominant (first by rows in row {}, by columns in column {})",
                     *dominance.failing_row + 1, *dominance.failing_column + 1);
}

/// How it went.
template <class T>
std::string summary(const JacobiResult<T>& solution) {
  return fmt::format(
      "A is {}; {} iteration{} {}, last change {:.3g}, relative residual {:.3g}{}",
      dominance_text(solution.dominance), solution.iterations, solution.iterations == 1 ? "" : "s",
      solution.on_gpu ? "on the GPU" : "on the CPU", solution.change, solution.relative_residual,
      solution.error_bound
          ? fmt::format(", error at most {:.3g} of the largest element, but for roundings",
                        *solution.error_bound)
          : "");
}

/// For A as it is stored, a DenseView or a SparseView.
template <class T, class View>
int solve_with(Problem& problem, const View& a, const std::vector<T>& b) {
  const solve::JacobiSettings settings = settings_of(problem.given, problem.device);
  std::vector<T> start;
  if (const auto file = problem.given.given("start")) {
    start = read_vector_as<T>(*file);
    if (start.empty()) throw InputError(*file + ": the start vector has no elements");
  }
  const JacobiResult<T> solution =
      problem.naming_files([&] { return solve::jacobi<T>(a, b, start, settings); });
  if (std::isnan(solution.change)) {
    note(
        fmt::format("no convergence: x overflowed in iteration {}, and nothing is written; A is {}",
                    solution.iterations, dominance_text(solution.dominance)));
    return 1;
  }
  problem.write(solution.x, {std::ssize(solution.x)});
  problem.tell(summary(solution));
  if (!solution.converged) {
    note(
        fmt::format("no convergence in {} iterations: max|x_new - x_old| / max|x_new| came to "
                    "{:.3g} and had to come to {:.3g}; raise --iterations or --tolerance",
                    solution.iterations, solution.change, solution.tolerance));
    return 1;
  }
  // With an error bound, x may differ by it and one per cent of it for roundings; otherwise by a
  // hundred times the tolerance, which bounds the last step and not the error: that is larger the
  // nearer A is to having no solution.
  return problem.compare(solution.x, [&] {
    const Eigen::VectorXd x = jacobi_reference<T>(a, b);
    const double asked = settings.error ? 1.01 * *settings.error : 100 * settings.tolerance;
    const double allowed = std::max(asked, 100.0 * std::numeric_limits<T>::epsilon());
    return Problem::Expected(
        x, Eigen::ArrayXd::Constant(x.size(), allowed * x.lpNorm<Eigen::Infinity>()));
  });
}

/// Solves with two dense matrices, solved(a, b), and compares with multiply(a, b) of Eigen in
/// double. Both obey |error| <= bound * sum |a b|.
template <class Solved, class Multiply>
int with_two_matrices(Problem& problem, bool is_vector, const Solved& solved,
                      const Multiply& multiply) {
  return problem.in_precision([&]<class T>(T) {
    const DenseMatrix<T> a = read_dense_matrix<T>(problem.files[0]);
    const DenseMatrix<T> b = read_dense_matrix<T>(problem.files[1]);
    const auto result =
        problem.naming_files([&] { return solved(DenseView<T>(a), DenseView<T>(b)); });
    problem.write(result, is_vector ? std::vector{a.rows} : std::vector{a.rows, b.columns});
    return problem.compare(result, [&] {
      using Found = std::ranges::range_value_t<decltype(result)>;
      const RowMajor<double> left = in_eigen<T>(a).template cast<double>();
      const RowMajor<double> right = in_eigen<T>(b).template cast<double>();
      const RowMajor<double> expected = multiply(left, right);
      const RowMajor<double> sizes = multiply(left.cwiseAbs(), right.cwiseAbs());
      return Problem::Expected(
          expected.reshaped<Eigen::RowMajor>(),
          rounding_bound<Found>(a.columns) * sizes.reshaped<Eigen::RowMajor>());
    });
  });
}

int solve_jacobi(const Arguments& given) {
  Problem problem(given);
  settings_of(given, problem.device);  // refuses wrong options before files are read
  return problem.in_precision([&]<class T>(T) {
    const Matrix<T> a = read_matrix<T>(problem.files[0]);
    const std::vector<T> b = read_vector_as<T>(problem.files[1]);
    if (const auto* dense = std::get_if<DenseMatrix<T>>(&a)) {
      return solve_with<T>(problem, DenseView<T>(*dense), b);
    }
    return solve_with<T>(problem, SparseView<T>(std::get<SparseMatrix<T>>(a)), b);
  });
}

int solve_product(const Arguments& given) {
  Problem problem(given);
  const auto product = [&](const auto& a, const auto& b) {
    return solve::product(a, b, problem.device, given.given("kernel").value_or("auto"));
  };
  product(DenseView<float>(), DenseView<float>());  // refuses a wrong kernel before files are read
  return with_two_matrices(problem, false, product,
                           [](const auto& a, const auto& b) { return RowMajor<double>(a * b); });
}

int solve_dot(const Arguments& given) {
  Problem problem(given);
  return with_two_matrices(
      problem, true, [&](const auto& a, const auto& b) { return solve::dot(a, b, problem.device); },
      [](const auto& a, const auto& b) {
        return RowMajor<double>(a.cwiseProduct(b).rowwise().sum());
      });
}

}  // namespace

std::vector<Subcommand> problems_of_matrices() {
  return {
      {"jacobi", "A B", "A x = B by Jacobi-Richardson iteration; A dense or sparse", solve_jacobi},
      {"product", "A B", "the matrix product", solve_product},
      {"dot", "A B", "the scalar products of the rows of A with those of B", solve_dot}};
}

}  // namespace bombard::tools
