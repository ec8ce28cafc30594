#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "bombard/solve.hpp"
#include "kernels/base/host_memory.hpp"
#include "solvers/sort/reference.hpp"
#include "tools/cli/solve/problems.hpp"

namespace bombard::tools {

namespace {

template <class T>
int sort_vector(SolveRequest& request, std::vector<T> values, const solve::SortSettings& settings) {
  std::vector<T> reference;
  if (request.validate) {
    require_host_memory(static_cast<std::int64_t>(values.size() * sizeof(T)),
                        "a copy of the vector to compare");
    reference = values;
  }
  const bool on_gpu = solve::sort<T>(values, settings);
  if (!on_gpu && !request.kernel.empty()) {
    tell(request, "--kernel has no effect on the CPU, where this ran");
  }
  write_result<T>(request, values, {static_cast<std::int64_t>(values.size())});
  if (!request.validate) return 0;
  sort_reference<T>(reference, settings.order);
  const bool agrees =
      std::ranges::equal(std::as_bytes(std::span(values)), std::as_bytes(std::span(reference)));
  return verdict(request, agrees, "std::sort", agrees ? "every bit" : "the order is another one");
}

/// Prints a number of a vector, reduce(values).
template <class Reduce, class Compare>
int print_reduced(const SolveRequest& request, const Reduce& reduce,
                  const Compare& compare_with_loop) {
  return with_vector(request.files[0], request.precision, [&](auto values) {
    const auto found = naming_files(request, [&] { return reduce(values); });
    print(fmt::format("{}\n", found));
    return request.validate ? compare_with_loop(found, values) : 0;
  });
}

/// Compares with a loop in extended precision, which holds every sum of integers; other sums may
/// differ by the rounding of a sum in double in any order.
template <class T>
int compare_sums(const SolveRequest& request, solve::Sum<T> found, std::span<const T> values) {
  long double reference = 0;
  long double sizes = 0;
  for (const T value : values) {
    reference += value;
    sizes += std::abs(static_cast<long double>(value));
  }
  const double allowed = std::is_integral_v<T>
                             ? 0
                             : rounding_bound(static_cast<std::int64_t>(values.size()), 53) *
                                   static_cast<double>(sizes);
  return compare(
      request, std::array{found}, std::array{reference}, [=](std::size_t) { return allowed; },
      "a loop in extended precision");
}

/// A NaN is the largest; of equal values, any.
template <class T>
T largest(std::span<const T> values) {
  return *std::ranges::max_element(values, [](T a, T b) { return b != b ? a == a : a < b; });
}

}  // namespace

int solve_sort(const Arguments& given) {
  SolveRequest request(given);
  const solve::SortSettings settings{
      .order = given.has("descending") ? solve::Order::descending : solve::Order::ascending,
      .device = request.device,
      .kernel = request.kernel.empty() ? "radix" : request.kernel};
  solve::sort<float>({}, settings);  // refuses a wrong kernel before the file is read
  return std::visit([&](auto values) { return sort_vector(request, std::move(values), settings); },
                    read_vector(request.files[0], request.precision));
}

int solve_sum(const Arguments& given) {
  SolveRequest request(given);
  return print_reduced(
      request, [&](auto values) { return solve::sum(values, request.device); },
      [&](auto found, const auto& values) { return compare_sums(request, found, values); });
}

int solve_maximum(const Arguments& given) {
  SolveRequest request(given);
  return print_reduced(
      request, [&](auto values) { return solve::maximum(values, request.device); },
      [&](auto found, const auto& values) {
        return compare(
            request, std::array{found}, std::array{largest(values)}, [](std::size_t) { return 0; },
            "a loop");
      });
}

}  // namespace bombard::tools
