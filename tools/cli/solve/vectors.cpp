#include <algorithm>

#include "inputs/matrix_set.hpp"
#include "solvers/matrices.hpp"
#include "solvers/minima/reference.hpp"
#include "tools/cli/solve/problems.hpp"

namespace bombard::tools {

namespace {

/// Numbers in double, to be compared.
template <class Numbers>
Eigen::ArrayXd compared(const Numbers& numbers) {
  return in_eigen<typename Numbers::value_type>(numbers).template cast<double>().array();
}

/// use(values) of the vector in the problem's file.
template <class Use>
int with_values(const SolveRequest& request, const Use& use) {
  return std::visit(use, read_vector(request.files[0], request.precision));
}

/// Prints a number, and compares it with Eigen's.
template <class Number>
int print_number(const SolveRequest& request, Number found, double expected, double allowed) {
  print(text_of(std::span<const Number>(&found, 1), 1));
  if (!request.validate) return 0;
  const auto one = [](double value) { return Eigen::ArrayXd::Constant(1, value); };
  return compare(request, one(static_cast<double>(found)), one(expected), one(allowed));
}

}  // namespace

int solve_sort(const Arguments& given) {
  SolveRequest request(given);
  const solve::SortSettings settings{
      .order = given.has("descending") ? solve::Order::descending : solve::Order::ascending,
      .device = request.device,
      .kernel = request.kernel.empty() ? "radix" : request.kernel};
  solve::sort<float>({}, settings);  // refuses a wrong kernel before the file is read
  return with_values(request, [&]<class T>(std::vector<T> values) {
    std::vector<T> expected;
    if (request.validate) expected = values;
    const bool on_gpu = solve::sort<T>(values, settings);
    if (!on_gpu && !request.kernel.empty()) {
      tell(request, "--kernel has no effect on the CPU, where this ran");
    }
    write_result(request, values, {std::ssize(values)});
    if (!request.validate) return 0;
    const bool descending = settings.order == solve::Order::descending;
    std::ranges::sort(expected, [=](T a, T b) {
      return b != b ? a == a : descending ? a > b : a < b;  // NaN last
    });
    return compare(request, compared(values), compared(expected),
                   Eigen::ArrayXd::Zero(std::ssize(values)), "std::sort");
  });
}

int solve_minima(const Arguments& given) {
  SolveRequest request(given);
  return std::visit(
      [&]<class T>(const std::vector<T>& set) {
        const std::array<T, 9> minima = solve::minima<T>(set, request.device);
        write_result(request, minima, {3, 3});
        if (!request.validate) return 0;
        return compare(request, compared(minima), compared(minima_reference<T>(set)),
                       Eigen::ArrayXd::Zero(9));
      },
      read_matrix_set(request.files[0]));
}

int solve_sum(const Arguments& given) {
  const SolveRequest request(given);
  return with_values(request, [&]<class T>(const std::vector<T>& values) {
    const auto sum = solve::sum<T>(values, request.device);
    const Eigen::ArrayXd all = request.validate ? compared(values) : Eigen::ArrayXd();
    const double allowed =
        std::is_integral_v<T> ? 0 : rounding_bound<double>(all.size()) * all.abs().sum();
    return print_number(request, sum, all.sum(), allowed);
  });
}

int solve_maximum(const Arguments& given) {
  const SolveRequest request(given);
  return with_values(request, [&]<class T>(const std::vector<T>& values) {
    const T largest =
        naming_files(request, [&] { return solve::maximum<T>(values, request.device); });
    return print_number(request, largest, compared(values).template maxCoeff<Eigen::PropagateNaN>(),
                        0);
  });
}

}  // namespace bombard::tools
