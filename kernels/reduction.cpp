#include "kernels/reduction.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace bombard::cpu {

IndexedValue arg_max(std::span<const float> values) {
  if (values.empty()) return {-std::numeric_limits<float>::infinity(), -1};
  IndexedValue largest{values.front(), 0};
  for (std::size_t k = 1; k < values.size(); ++k) {
    if (values[k] > largest.value) largest = {values[k], static_cast<std::int64_t>(k)};
  }
  return largest;
}

namespace {

/// Elements that one thread reduces in a row: partial results depend on the size alone, so the
/// number of threads does not change the answer.
constexpr std::int64_t run = 1 << 16;

/// The partial result of every run, in order.
template <class Partial, class T, class ReduceRun>
std::vector<Partial> partial_results(std::span<const T> values, const ReduceRun& reduce_run) {
  const auto size = static_cast<std::int64_t>(values.size());
  const std::int64_t runs = (size + run - 1) / run;
  std::vector<Partial> partial(static_cast<std::size_t>(runs));
#pragma omp parallel for schedule(static) if (runs > 1)
  for (std::int64_t r = 0; r < runs; ++r) {
    const std::int64_t first = r * run;
    partial[static_cast<std::size_t>(r)] =
        reduce_run(values.data() + first, std::min(run, size - first));
  }
  return partial;
}

template <class T>
SumOf<T> sum_of_run(const T* values, std::int64_t count) {
  SumOf<T> sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < count; ++i) sum += static_cast<SumOf<T>>(values[i]);
  return sum;
}

template <class T>
T minimum_of_run(const T* values, std::int64_t count) {
  T smallest = values[0];
  bool unordered = false;
#pragma omp simd reduction(min : smallest) reduction(| : unordered)
  for (std::int64_t i = 0; i < count; ++i) {
    smallest = values[i] < smallest ? values[i] : smallest;
    unordered |= values[i] != values[i];
  }
  return unordered ? std::numeric_limits<T>::quiet_NaN() : smallest;
}

template <class T>
T maximum_of_run(const T* values, std::int64_t count) {
  T largest = values[0];
  bool unordered = false;
#pragma omp simd reduction(max : largest) reduction(| : unordered)
  for (std::int64_t i = 0; i < count; ++i) {
    largest = values[i] > largest ? values[i] : largest;
    unordered |= values[i] != values[i];
  }
  return unordered ? std::numeric_limits<T>::quiet_NaN() : largest;
}

}  // namespace

template <class T>
SumOf<T> sum(std::span<const T> values) {
  SumOf<T> total = 0;
  for (const SumOf<T> part : partial_results<SumOf<T>>(values, sum_of_run<T>)) total += part;
  return total;
}

template <class T>
T minimum(std::span<const T> values) {
  using Limits = std::numeric_limits<T>;
  T smallest = Limits::has_infinity ? Limits::infinity() : Limits::max();
  for (const T part : partial_results<T>(values, minimum_of_run<T>)) {
    if (part < smallest || part != part) smallest = part;
  }
  return smallest;
}

template <class T>
T maximum(std::span<const T> values) {
  using Limits = std::numeric_limits<T>;
  T largest = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  for (const T part : partial_results<T>(values, maximum_of_run<T>)) {
    if (part > largest || part != part) largest = part;
  }
  return largest;
}

template std::int64_t sum<std::int32_t>(std::span<const std::int32_t>);
template double sum<float>(std::span<const float>);
template double sum<double>(std::span<const double>);
template std::int32_t minimum<std::int32_t>(std::span<const std::int32_t>);
template float minimum<float>(std::span<const float>);
template double minimum<double>(std::span<const double>);
template std::int32_t maximum<std::int32_t>(std::span<const std::int32_t>);
template float maximum<float>(std::span<const float>);
template double maximum<double>(std::span<const double>);

}  // namespace bombard::cpu
