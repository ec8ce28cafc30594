#include "solvers/minima/reference.hpp"

#include <Eigen/Core>
#include <cstdint>

namespace bombard {

template <class T>
std::array<T, 9> minima_reference(std::span<const T> matrices) {
  using Columns = Eigen::Matrix<T, 9, Eigen::Dynamic>;
  const Eigen::Map<const Columns> columns(matrices.data(), 9,
                                          static_cast<Eigen::Index>(matrices.size()) / 9);
  std::array<T, 9> minima;
  for (Eigen::Index position = 0; position < 9; ++position) {
    minima[static_cast<std::size_t>(position)] =
        columns.row(position).template minCoeff<Eigen::PropagateNaN>();
  }
  return minima;
}
template std::array<std::int32_t, 9> minima_reference<std::int32_t>(std::span<const std::int32_t>);
template std::array<float, 9> minima_reference<float>(std::span<const float>);
template std::array<double, 9> minima_reference<double>(std::span<const double>);

}  // namespace bombard
