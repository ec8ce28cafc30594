#include "solvers/sums/reduction.hpp"

#include <fmt/format.h>

#include <bit>
#include <limits>
#include <numeric>
#include <vector>

#include "inputs/array_file.hpp"
#include "solvers/solver_device.hpp"
#include "solvers/sums/compensated_sum.hpp"
#include "solvers/sums/smaller.hpp"

namespace bombard::solve {

namespace {

constexpr const char* no_largest = "there are no values, so there is no largest";

/// The sum of integers; for other types, the sum before its last rounding.
template <class T>
auto sum_of_run(const T* values, std::int64_t count) {
  if constexpr (std::is_integral_v<T>) {
    std::int64_t sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < count; ++i) sum += values[i];
    return sum;
  } else {
    return compensated_sum(count, [=](std::int64_t i) { return static_cast<double>(values[i]); });
  }
}

template <class T>
T largest_of_run(const T* values, std::int64_t count) {
  // An integer of T's size: it takes the bits of a float with their sign and, unlike with a bool,
  // the loop is vectorised.
  using Bits = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  T largest = values[0];
  Bits unordered = 0;
  Bits signs = -1;
#pragma omp simd reduction(max : largest) reduction(| : unordered) reduction(& : signs)
  for (std::int64_t i = 0; i < count; ++i) {
    largest = values[i] > largest ? values[i] : largest;
    unordered |= values[i] != values[i] ? 1 : 0;
    signs &= std::bit_cast<Bits>(values[i]);
  }
  if (unordered != 0) return std::numeric_limits<T>::quiet_NaN();
  return largest == 0 ? (signs < 0 ? -T{0} : T{0}) : largest;  // no value is above 0
}

/// The results of runs of elements, in order: a thread reduces a run, so that partial results
/// depend only on the size, and the number of threads does not change the answer.
template <auto reduce, class T>
auto partial_results(std::span<const T> values) {
  constexpr std::int64_t run = std::int64_t{1} << 16;
  const auto size = static_cast<std::int64_t>(values.size());
  const std::int64_t runs = (size + run - 1) / run;
  std::vector<decltype(reduce(values.data(), size))> partial(static_cast<std::size_t>(runs));
#pragma omp parallel for schedule(static) if (runs > 8)
  for (std::int64_t r = 0; r < runs; ++r) {
    partial[static_cast<std::size_t>(r)] =
        reduce(values.data() + r * run, std::min(run, size - r * run));
  }
  return partial;
}

}  // namespace

// One operation for each element: the transfer to a GPU alone takes longer than the reduction here.
template <class T>
Sum<T> sum(std::span<const T> values, const Device& device) {
  const SolverDevice solver(device, 0);
  if (solver.is_gpu()) return best_implementation<DeviceSum<T>>()(values, nullptr);
  const auto parts = partial_results<sum_of_run<T>>(values);
  if constexpr (std::is_integral_v<T>) {
    return std::accumulate(parts.begin(), parts.end(), std::int64_t{0});
  } else {
    CompensatedSum sum{};
    for (const CompensatedSum& part : parts) sum.add(part);
    return sum.value();
  }
}
template std::int64_t sum<std::int32_t>(std::span<const std::int32_t>, const Device&);
template double sum<float>(std::span<const float>, const Device&);
template double sum<double>(std::span<const double>, const Device&);

template <class T>
T maximum(std::span<const T> values, const Device& device) {
  const SolverDevice solver(device, 0);
  if (values.empty()) throw InputError(no_largest);
  if (solver.is_gpu()) return best_implementation<DeviceCombined<T, Larger>>()(values, nullptr);
  const auto parts = partial_results<largest_of_run<T>>(values);
  return std::accumulate(parts.begin(), parts.end(), parts.front(), Larger());
}
template std::int32_t maximum<std::int32_t>(std::span<const std::int32_t>, const Device&);
template float maximum<float>(std::span<const float>, const Device&);
template double maximum<double>(std::span<const double>, const Device&);

std::variant<std::int64_t, double> sum_of_file(const std::string& path,
                                               std::optional<Precision> precision) {
  return with_vector(path, precision, [](auto elements) -> std::variant<std::int64_t, double> {
    return sum(elements);
  });
}

std::variant<std::int32_t, float, double> maximum_of_file(const std::string& path,
                                                          std::optional<Precision> precision) {
  const InputFile file(path);
  return with_vector(file, precision,
                     [&](auto elements) -> std::variant<std::int32_t, float, double> {
                       if (elements.empty())
                         throw InputError(fmt::format("{}: {}", file.name(), no_largest));
                       return maximum(elements);
                     });
}

}  // namespace bombard::solve
