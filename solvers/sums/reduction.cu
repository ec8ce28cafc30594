#include "solvers/sums/operators.cuh"
#include "solvers/sums/reduction.hpp"

namespace bombard::cuda {

template <class T>
SumOf<T> sum(std::span<const T> values) {
  if constexpr (std::is_integral_v<T>) {
    return reduce<Sum<T>, WarpShuffles>(values);
  } else {
    return reduce<AccurateSum<T>, WarpShuffles>(values).value();
  }
}

template <class T>
T minimum(std::span<const T> values) {
  return reduce<Minimum<T>, WarpShuffles>(values);
}

template <class T>
T maximum(std::span<const T> values) {
  return reduce<Maximum<T>, WarpShuffles>(values);
}

#include "solvers/sums/reduction_types.inc"

}  // namespace bombard::cuda
