#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/jacobi/reference.hpp"
#include "tools/cli/solve/problems.hpp"

namespace bombard::tools {

namespace {

solve::JacobiSettings settings_of(const SolveRequest& request) {
  const Arguments& given = request.given;
  using Two = std::pair<const char*, const char*>;
  for (const auto& [one, other] :
       {Two{"error", "tolerance"}, Two{"sweeps", "tolerance"}, Two{"sweeps", "error"},
        Two{"sweeps", "iterations"}, Two{"sweeps", "validate"}}) {
    if (!given.has(one) || !given.has(other)) continue;
    throw InputError(fmt::format("--{} and --{} exclude each other; leave one out", one, other));
  }
  solve::JacobiSettings settings;
  settings.device = request.device;
  settings.force = given.has("force");
  settings.tolerance = given.real("tolerance");
  if (given.has("error")) settings.error = given.real("error");
  if (given.has("sweeps")) settings.sweeps = given.number("sweeps", 1);
  settings.iteration_limit = given.number("iterations", 1);
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
          ? fmt::format(", error at most {:.3g} of the largest element", *solution.error_bound)
          : "");
}

/// Compares the solution with Eigen's. They may differ: with an error bound, by the bound and one
/// per cent of it for roundings; otherwise by a hundred times the tolerance. The tolerance bounds
/// the last step and not the error, which is larger the nearer A is to having no solution.
template <class T>
int compare_solutions(const SolveRequest& request, const solve::JacobiSettings& settings,
                      const std::vector<T>& x, const Eigen::VectorXd& expected) {
  const double asked = settings.error ? 1.01 * *settings.error : 100 * settings.tolerance;
  const double allowed = std::max(asked, 100.0 * std::numeric_limits<T>::epsilon());
  return compare(
      request, in_eigen<T>(x).template cast<double>().array(), expected.array(),
      Eigen::ArrayXd::Constant(expected.size(), allowed * expected.lpNorm<Eigen::Infinity>()));
}

/// For A as it is stored, a DenseView or a SparseView.
template <class T, class View>
int solve_with(SolveRequest& request, const View& a, const std::vector<T>& b) {
  const solve::JacobiSettings settings = settings_of(request);
  const std::vector<T> start =
      request.start.empty() ? std::vector<T>{} : read_vector_as<T>(request.start);
  if (!request.start.empty() && start.empty()) {
    throw InputError(fmt::format("{}: the start vector has no elements", request.start));
  }
  const JacobiResult<T> solution =
      naming_files(request, [&] { return solve::jacobi<T>(a, b, start, settings); });
  if (std::isnan(solution.change)) {
    note(
        fmt::format("no convergence: x overflowed in iteration {}, and nothing is written; A is {}",
                    solution.iterations, dominance_text(solution.dominance)));
    return 1;
  }
  write_result(request, solution.x, {std::ssize(solution.x)});
  tell(request, summary(solution));
  if (!solution.converged) {
    note(
        fmt::format("no convergence in {} iterations: max|x_new - x_old| / max|x_new| came to "
                    "{:.3g} and had to come to {:.3g}; raise --iterations or --tolerance",
                    solution.iterations, solution.change, solution.tolerance));
    return 1;
  }
  if (!request.validate) return 0;
  return compare_solutions<T>(request, settings, solution.x, jacobi_reference<T>(a, b));
}

}  // namespace

int solve_jacobi(const Arguments& given) {
  SolveRequest request(given);
  settings_of(request);  // refuses wrong options before files are read
  return in_precision(request, [&]<class T>(T) {
    const Matrix<T> a = read_matrix<T>(request.files[0]);
    const std::vector<T> b = read_vector_as<T>(request.files[1]);
    if (const auto* dense = std::get_if<DenseMatrix<T>>(&a)) {
      return solve_with<T>(request, DenseView<T>(*dense), b);
    }
    return solve_with<T>(request, SparseView<T>(std::get<SparseMatrix<T>>(a)), b);
  });
}

}  // namespace bombard::tools
