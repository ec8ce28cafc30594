#include "solvers/jacobi.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "inputs/errors.hpp"
#include "kernels/base/host_memory.hpp"
#include "tools/cli/solve/problems.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard::tools {

namespace {

std::string dominance_text(const Dominance& dominance) {
  if (!dominance.failing_row) {
    return dominance.failing_column ? "dominant by rows" : "dominant by rows and columns";
  }
  if (!dominance.failing_column) return "dominant by columns";
  return fmt::format("not dominant (first by rows in row {}, by columns in column {})",
                     *dominance.failing_row + 1, *dominance.failing_column + 1);
}

/// Both stop when a step is within the tolerance, perhaps one step apart.
template <class T>
int compare(const SolveRequest& request, const JacobiSolution<T>& solution,
            const JacobiSolution<double>& reference) {
  double difference = 0;
  double largest = 0;
  for (std::size_t i = 0; i < solution.x.size(); ++i) {
    difference = std::max(difference, std::abs(solution.x[i] - reference.x[i]));
    largest = std::max(largest, std::abs(reference.x[i]));
  }
  const double allowed =
      largest * std::max(request.tolerance, 100.0 * std::numeric_limits<T>::epsilon());
  return verdict(
      request, difference <= allowed, "Eigen",
      fmt::format("{} iterations there, largest difference of an element {:.3g}, allowed "
                  "{:.3g}",
                  reference.iterations, difference, allowed));
}

template <class T>
int solve(const SolveRequest& request) {
  ResultWriter writer(request);
  const Matrix<T> matrix = read_matrix<T>(request.files[0], require_host_memory);
  const std::vector<T> b = read_vector_as<T>(request.files[1], require_host_memory);
  const std::vector<T> start = request.start.empty()
                                   ? std::vector<T>{}
                                   : read_vector_as<T>(request.start, require_host_memory);
  if (!request.start.empty() && start.empty()) {
    throw InputError(fmt::format("{}: the start vector has no elements", request.start));
  }
  const JacobiOptions options{request.tolerance, request.iterations, request.force, request.device};

  const auto result = [&](const auto& a) {
    const JacobiSolution<T> solution =
        naming_files(request, [&] { return jacobi<T>(a, b, start, options); });
    writer.write<T>(solution.x, {static_cast<std::int64_t>(solution.x.size())});
    const std::string dominance = dominance_text(solution.dominance);
    if (request.output.empty()) {
      tell(request,
           fmt::format("A is {}; {} iterations {}, last change {:.3g}, residual norm {:.6g}",
                       dominance, solution.iterations, device_word(solution.on_gpu),
                       solution.change, solution.residual_norm));
    } else {
      print(fmt::format("A is {}\niterations {}\nlast change {:.6g}\nresidual norm {:.6g}\n",
                        dominance, solution.iterations, solution.change, solution.residual_norm));
    }
    if (!request.validate) return 0;
    return compare(request, solution, jacobi_reference<T>(a, b, start, options));
  };
  return std::visit(result, matrix);
}

}  // namespace

int solve_jacobi(const SolveRequest& request) {
  return request.precision == SolveRequest::Precision::single ? solve<float>(request)
                                                              : solve<double>(request);
}

}  // namespace bombard::tools
