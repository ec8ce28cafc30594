#include "solvers/minima/minima_by_position.hpp"
#include "solvers/sums/operators.cuh"

namespace bombard::cuda {

template <class T>
void minima(std::span<const T> values, std::int64_t stride, std::int64_t matrices,
            std::span<T> minima) {
  if (matrices == 0) return;
  InhouseReduction<Minimum<T>, WarpShuffles> reduce(matrices, stride,
                                                    static_cast<int>(matrix_positions));
  reduce(values.data(), minima.data(), true);
}
template void minima<std::int32_t>(std::span<const std::int32_t>, std::int64_t, std::int64_t,
                                   std::span<std::int32_t>);
template void minima<float>(std::span<const float>, std::int64_t, std::int64_t, std::span<float>);
template void minima<double>(std::span<const double>, std::int64_t, std::int64_t,
                             std::span<double>);

}  // namespace bombard::cuda
