#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "bombard/solve.hpp"
#include "kernels/base/host_memory.hpp"
#include "solvers/sort/reference.hpp"
#include "tools/cli/solve/problems.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard::tools {

namespace {

/// The vector, in the type of its file or the one asked for.
Vector read(const SolveRequest& request) {
  if (request.precision == Precision::binary32) return read_vector_as<float>(request.files[0]);
  if (request.precision == Precision::binary64) return read_vector_as<double>(request.files[0]);
  return read_vector(request.files[0]);
}

template <class T>
int sort_vector(const SolveRequest& request, std::vector<T> values, ResultWriter& writer) {
  const solve::Order order =
      request.descending ? solve::Order::descending : solve::Order::ascending;
  std::vector<T> reference;
  if (request.validate) {
    require_host_memory(static_cast<std::int64_t>(values.size() * sizeof(T)),
                        "a copy of the vector to compare");
    reference = values;
  }
  const std::string kernel = request.kernel.empty() ? "radix" : request.kernel;
  const bool on_gpu =
      solve::sort<T>(values, {.order = order, .device = request.device, .kernel = kernel});
  if (!on_gpu && !request.kernel.empty()) {
    tell(request, "--kernel has no effect on the processor, where this ran");
  }
  writer.write<T>(values, {static_cast<std::int64_t>(values.size())});
  if (!request.validate) return 0;
  sort_reference<T>(reference, order);
  const bool agrees =
      std::ranges::equal(std::as_bytes(std::span(values)), std::as_bytes(std::span(reference)));
  return verdict(request, agrees, "std::sort", agrees ? "every bit" : "the order is another one");
}

constexpr auto print_number = [](auto number) { print(fmt::format("{}\n", number)); };

/// Whether elements may come and go: a GPU, and a comparison, take all of them.
bool streams(const SolveRequest& request) {
  return !request.validate && request.device.kind != Device::cuda;
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

int solve_sort(const SolveRequest& request) {
  require_kernel(request, {"bitonic", "radix"}, "sort");
  ResultWriter writer(request);
  return std::visit([&](auto values) { return sort_vector(request, std::move(values), writer); },
                    read(request));
}

int solve_sum(const SolveRequest& request) {
  if (streams(request)) {
    std::visit(print_number, solve::sum_of_file(request.files[0], request.precision));
    return 0;
  }
  return std::visit(
      [&]<class T>(const std::vector<T>& values) {
        const auto found = solve::sum<T>(values, request.device);
        print_number(found);
        return request.validate ? compare_sums(request, found, values) : 0;
      },
      read(request));
}

int solve_maximum(const SolveRequest& request) {
  if (streams(request)) {
    std::visit(print_number, solve::maximum_of_file(request.files[0], request.precision));
    return 0;
  }
  return std::visit(
      [&]<class T>(const std::vector<T>& values) {
        const T found =
            naming_files(request, [&] { return solve::maximum<T>(values, request.device); });
        print_number(found);
        if (!request.validate) return 0;
        return compare(
            request, std::array{found}, std::array{largest(values)}, [](std::size_t) { return 0; },
            "a loop");
      },
      read(request));
}

}  // namespace bombard::tools
