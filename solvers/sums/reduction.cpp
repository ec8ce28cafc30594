#include "solvers/sums/reduction.hpp"

#include <bit>
#include <limits>
#include <vector>

#include "inputs/array_file.hpp"
#include "kernels/base/vector.hpp"
#include "solvers/sums/smaller.hpp"

namespace bombard::cpu {

namespace {

template <class T>
[[gnu::always_inline]] inline SumSoFar<T> sum_of_run(const T* values, std::int64_t count) {
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
[[gnu::always_inline]] inline T largest_of_run(const T* values, std::int64_t count) {
  // An integer of T's size: it has the sign of a float whose bits it is, and, unlike a bool, loops
  // with it are vectorised.
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
/// depend on the size alone and the number of threads does not change the answer.
template <auto reduce, class T>
auto partial_results(std::span<const T> values) {
  constexpr std::int64_t run = elements_together;
  const auto size = static_cast<std::int64_t>(values.size());
  const std::int64_t runs = (size + run - 1) / run;
  std::vector<decltype(reduce(values.data(), size))> partial(static_cast<std::size_t>(runs));
#pragma omp parallel for schedule(static) if (runs > 8)
  for (std::int64_t r = 0; r < runs; ++r) {
    partial[static_cast<std::size_t>(r)] =
        by_widest<reduce>(values.data() + r * run, std::min(run, size - r * run));
  }
  return partial;
}

}  // namespace

template <class T>
SumOf<T> sum(std::span<const T> values, SumSoFar<T>& so_far) {
  for (const auto& part : partial_results<sum_of_run<T>>(values)) {
    if constexpr (std::is_integral_v<T>) {
      so_far += part;
    } else {
      so_far.add(part);
    }
  }
  if constexpr (std::is_integral_v<T>) {
    return so_far;
  } else {
    return so_far.value();
  }
}

template <class T>
SumOf<T> sum(std::span<const T> values) {
  SumSoFar<T> nothing = {};
  return sum(values, nothing);
}

template <class T>
T maximum(std::span<const T> values) {
  using Limits = std::numeric_limits<T>;
  T largest = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  for (const T part : partial_results<largest_of_run<T>>(values)) {
    largest = larger(largest, part);
  }
  return largest;
}

template std::int64_t sum(std::span<const std::int32_t>, std::int64_t&);
template double sum(std::span<const float>, CompensatedSum&);
template double sum(std::span<const double>, CompensatedSum&);
template std::int64_t sum(std::span<const std::int32_t>);
template double sum(std::span<const float>);
template double sum(std::span<const double>);
template std::int32_t maximum(std::span<const std::int32_t>);
template float maximum(std::span<const float>);
template double maximum(std::span<const double>);

}  // namespace bombard::cpu
