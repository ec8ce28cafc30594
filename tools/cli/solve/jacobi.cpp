#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bombard/solve.hpp"
#include "solvers/jacobi/reference.hpp"
#include "tools/cli/solve/problems.hpp"

namespace bombard::tools {

namespace {

/// Refuses several options that each say when an iteration stops.
void require_one_stop(const Arguments& given) {
  using Two = std::pair<const char*, const char*>;
  for (const auto& [one, other] : {Two{"error", "tolerance"}, Two{"sweeps", "tolerance"},
                                   Two{"sweeps", "error"}, Two{"sweeps", "iterations"}}) {
    if (!given.has(one) || !given.has(other)) continue;
    throw InputError(fmt::format("--{} and --{} exclude each other; leave one out", one, other));
  }
}

solve::JacobiSettings settings_of(const SolveRequest& request) {
  const Arguments& given = request.given;
  require_one_stop(given);
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

/// Compares the solution with the reference. They may differ: with an error bound, by the bound and
/// one per cent of it for roundings; otherwise by a hundred times the tolerance. The tolerance
/// bounds the last step and not the error, which is larger the nearer A is to having no solution.
template <class T>
int compare_solutions(const SolveRequest& request, const solve::JacobiSettings& settings,
                      const JacobiResult<T>& solution, const JacobiReference& reference) {
  constexpr double solved = 1e-9;
  if (!(reference.relative_residual <= solved)) {
    note(fmt::format("cannot be compared: {} comes to a relative residual of {:.3g}",
                     reference.method, reference.relative_residual));
    return 1;
  }
  double largest = 0;
  for (const double value : reference.x) largest = std::max(largest, std::abs(value));
  const double asked = settings.error ? 1.01 * *settings.error : 100 * settings.tolerance;
  const double allowed = largest * std::max(asked, 100.0 * std::numeric_limits<T>::epsilon());
  return compare(
      request, solution.x, reference.x, [&](std::size_t) { return allowed; }, reference.method);
}

std::string not_converged(double change, std::int64_t iterations, double tolerance,
                          const Dominance& dominance) {
  const std::string hint =
      dominance.suffices() ? "" : fmt::format("; A is {}", dominance_text(dominance));
  if (std::isnan(change)) {
    return fmt::format("no convergence: x overflowed in iteration {}, and nothing is written{}",
                       iterations, hint);
  }
  return fmt::format(
      "no convergence in {} iterations: max|x_new - x_old| / max|x_new| came to {:.3g} and had to "
      "come to {:.3g}; raise --iterations or --tolerance{}",
      iterations, change, tolerance, hint);
}

/// Reports how it went, and warns if a small last step hides a large residual.
template <class T>
void tell_how(const SolveRequest& request, const solve::JacobiSettings& settings,
              const JacobiResult<T>& solution) {
  tell(request,
       fmt::format(
           "A is {}; {} iteration{} {}, last change {:.3g}, relative residual {:.3g}{}",
           dominance_text(solution.dominance), solution.iterations,
           solution.iterations == 1 ? "" : "s", device_word(solution.on_gpu), solution.change,
           solution.relative_residual,
           solution.error_bound
               ? fmt::format(", error at most {:.3g} of the largest element", *solution.error_bound)
               : ""));
  const double small = std::max(1e-3, 100 * settings.tolerance);
  if (solution.converged && !settings.error && !settings.sweeps &&
      solution.relative_residual > small) {
    tell(request,
         "warning: the steps became small, but the residual did not: x may be far from the "
         "solution; take a smaller --tolerance, or --error");
  }
}

}  // namespace

int solve_jacobi(const Arguments& given) {
  SolveRequest request(given);
  const solve::JacobiSettings settings = settings_of(request);
  if (request.validate && settings.sweeps) {
    throw InputError(
        "--validate compares with the solution, to which a number of --sweeps need not come; leave "
        "one of them out");
  }
  return in_precision(request, [&]<class T>(T) {
    const Matrix<T> matrix = read_matrix<T>(request.files[0]);
    const std::vector<T> b = read_vector_as<T>(request.files[1]);
    const std::vector<T> start =
        request.start.empty() ? std::vector<T>{} : read_vector_as<T>(request.start);
    if (!request.start.empty() && start.empty()) {
      throw InputError(fmt::format("{}: the start vector has no elements", request.start));
    }

    const auto result = [&](const auto& a) {
      const JacobiResult<T> solution =
          naming_files(request, [&] { return solve::jacobi<T>(a, b, start, settings); });
      const bool finite = !std::isnan(solution.change);
      if (finite) {
        write_result<T>(request, solution.x, {static_cast<std::int64_t>(solution.x.size())});
        tell_how(request, settings, solution);
      }
      if (!solution.converged) {
        note(not_converged(solution.change, solution.iterations, solution.tolerance,
                           solution.dominance));
        return 1;
      }
      if (!request.validate) return 0;
      return compare_solutions(request, settings, solution, jacobi_reference<T>(a, b));
    };
    return std::visit(result, matrix);
  });
}

}  // namespace bombard::tools
