#include "solvers/minima/minima_by_position.hpp"

#include "solvers/sums/reduction.hpp"
#include "solvers/sums/smaller.hpp"

namespace bombard::cpu {

template <class T>
void minima(std::span<const T> values, std::int64_t stride, std::int64_t matrices,
            std::span<T> minima) {
  for (std::int64_t position = 0; position < matrix_positions; ++position) {
    const T smallest = minimum<T>(values.subspan(static_cast<std::size_t>(position * stride),
                                                 static_cast<std::size_t>(matrices)));
    T& so_far = minima[static_cast<std::size_t>(position)];
    so_far = smaller(so_far, smallest);
  }
}
template void minima<std::int32_t>(std::span<const std::int32_t>, std::int64_t, std::int64_t,
                                   std::span<std::int32_t>);
template void minima<float>(std::span<const float>, std::int64_t, std::int64_t, std::span<float>);
template void minima<double>(std::span<const double>, std::int64_t, std::int64_t,
                             std::span<double>);

}  // namespace bombard::cpu
