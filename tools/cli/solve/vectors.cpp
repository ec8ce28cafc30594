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

/// The vector, in the type of its file or the one asked for.
Vector read(const SolveRequest& request) {
  if (request.precision == Precision::binary32) return read_vector_as<float>(request.files[0]);
  if (request.precision == Precision::binary64) return read_vector_as<double>(request.files[0]);
  return read_vector(request.files[0]);
}

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
    tell(request, "--kernel has no effect on the processor, where this ran");
  }
  write_result<T>(request, values, {static_cast<std::int64_t>(values.size())});
  if (!request.validate) return 0;
  sort_reference<T>(reference, settings.order);
  const bool agrees =
      std::ranges::equal(std::as_bytes(std::span(values)), std::as_bytes(std::span(reference)));
  return verdict(request, agrees, "std::sort", agrees ? "every bit" : "the order is another one");
}

/// Prints a number of a vector: as it is read from its file, or where a GPU or a comparison takes
/// all elements, of_values() of them.
template <class OfFile, class OfValues, class Compare>
int print_reduced(const SolveRequest& request, const OfFile& of_file, const OfValues& of_values,
                  const Compare& compare_with_loop) {
  const auto print_number = [](auto number) { print(fmt::format("{}\n", number)); };
  if (!request.validate && request.device.kind != Device::cuda) {
    std::visit(print_number, of_file(request.files[0], request.precision));
    return 0;
  }
  return std::visit(
      [&](const auto& values) {
        const auto found = naming_files(request, [&] { return of_values(values); });
        print_number(found);
        return request.validate ? compare_with_loop(found, values) : 0;
      },
      read(request));
}

/// Against a loop in extended precision, which holds every sum of integers; of others within the
/// rounding of a sum in double in any order.
template <class T>
int compare_sums(const SolveRequest& request, solve::Sum<T> found, const std::vector<T>& values) {
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

/// A NaN is the largest, among equals any.
template <class T>
T largest(const std::vector<T>& values) {
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
                    read(request));
}

int solve_sum(const Arguments& given) {
  SolveRequest request(given);
  return print_reduced(
      request, solve::sum_of_file,
      [&]<class T>(const std::vector<T>& values) { return solve::sum<T>(values, request.device); },
      [&](auto found, const auto& values) { return compare_sums(request, found, values); });
}

int solve_maximum(const Arguments& given) {
  SolveRequest request(given);
  return print_reduced(
      request, solve::maximum_of_file,
      [&]<class T>(const std::vector<T>& values) {
        return solve::maximum<T>(values, request.device);
      },
      [&](auto found, const auto& values) {
        return compare(
            request, std::array{found}, std::array{largest(values)}, [](std::size_t) { return 0; },
            "a loop");
      });
}

}  // namespace bombard::tools
