// The problems of vectors: sort, sum, max; and of sets of matrices: minima.

#include <algorithm>
#include <array>

#include "inputs/matrix_set.hpp"
#include "solvers/matrices.hpp"
#include "solvers/minima/reference.hpp"
#include "tools/cli/solve/problem.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard::tools {

namespace {

/// use(values) of the vector in the problem's file.
template <class Use>
int with_values(const Problem& problem, const Use& use) {
  return std::visit(use, read_vector(problem.files[0], problem.precision));
}

/// These numbers, each of which may differ by `allowed`.
template <class Numbers>
Problem::Expected within(double allowed, const Numbers& numbers) {
  const Eigen::ArrayXd all = Eigen::Map<const Eigen::ArrayX<std::ranges::range_value_t<Numbers>>>(
                                 numbers.data(), std::ssize(numbers))
                                 .template cast<double>();
  return {all, Eigen::ArrayXd::Constant(all.size(), allowed)};
}

int solve_sort(const Arguments& given) {
  Problem problem(given);
  const bool descending = given.has("descending");
  const auto sort = [&]<class T>(std::span<T> values) {
    return solve::sort(values, descending, problem.device, given.given("kernel").value_or("radix"));
  };
  sort(std::span<float>());  // refuses a wrong kernel before the file is read
  return with_values(problem, [&]<class T>(std::vector<T> values) {
    std::vector<T> expected;
    if (given.has("validate")) expected = values;
    const bool on_gpu = sort(std::span(values));
    if (!on_gpu && given.has("kernel")) {
      problem.tell("--kernel has no effect on the CPU, where this ran");
    }
    problem.write(values, {std::ssize(values)});
    return problem.compare(values, [&] {
      std::ranges::sort(expected, [=](T a, T b) {
        return b != b ? a == a : descending ? a > b : a < b;  // NaN last
      });
      return within(0, expected);
    });
  });
}

int solve_minima(const Arguments& given) {
  Problem problem(given);
  return std::visit(
      [&]<class T>(const std::vector<T>& set) {
        const std::array<T, 9> minima = solve::minima<T>(set, problem.device);
        problem.write(minima, {3, 3});
        return problem.compare(minima, [&] { return within(0, minima_reference<T>(set)); });
      },
      read_matrix_set(problem.files[0]));
}

int solve_sum(const Arguments& given) {
  const Problem problem(given);
  return with_values(problem, [&]<class T>(const std::vector<T>& values) {
    const std::vector sum{solve::sum<T>(values, problem.device)};
    print(text_of(sum, 1));
    return problem.compare(sum, [&] {
      const auto all = in_eigen<T>(values).template cast<solve::Sum<T>>();
      const double bound = std::is_integral_v<T> ? 0 : rounding_bound<double>(all.size());
      return within(bound * static_cast<double>(all.cwiseAbs().sum()), std::array{all.sum()});
    });
  });
}

int solve_maximum(const Arguments& given) {
  const Problem problem(given);
  return with_values(problem, [&]<class T>(const std::vector<T>& values) {
    const std::vector largest{
        problem.naming_files([&] { return solve::maximum<T>(values, problem.device); })};
    print(text_of(largest, 1));
    return problem.compare(largest, [&] {
      return within(0, std::array{in_eigen<T>(values).template maxCoeff<Eigen::PropagateNaN>()});
    });
  });
}

}  // namespace

std::vector<Subcommand> problems_of_vectors() {
  return {{"sort", "V", "the elements in order, NaN last", solve_sort},
          {"minima", "SET", "the element-wise minimum of a set of 3x3 matrices", solve_minima},
          {"sum", "V", "the sum of the elements", solve_sum},
          {"max", "V", "the largest element; NaN if there is one", solve_maximum}};
}

}  // namespace bombard::tools
