#include "solvers/sums/operators.cuh"
#include "solvers/sums/reduction.hpp"

namespace bombard::cuda {

template <class T>
SumOf<T> sum(std::span<const T> values) {
  if constexpr (std::is_integral_v<T>) {
    return reduce<Sum<T>>(values);
  } else {
    return reduce<AccurateSum<T>>(values).value();
  }
}

template <class T>
T maximum(std::span<const T> values) {
  return reduce<Maximum<T>>(values);
}

template std::int64_t sum<std::int32_t>(std::span<const std::int32_t>);
template double sum<float>(std::span<const float>);
template double sum<double>(std::span<const double>);
template std::int32_t maximum<std::int32_t>(std::span<const std::int32_t>);
template float maximum<float>(std::span<const float>);
template double maximum<double>(std::span<const double>);

}  // namespace bombard::cuda
