#include "solvers/minima/minima.hpp"

#include <omp.h>

#include <Eigen/Core>

#include "solvers/minima/minima_by_position.hpp"
#include "solvers/on_device.hpp"
#include "solvers/references.hpp"

namespace bombard {

MatrixSetMinima minima_on_gpu(const std::string& path, int threads, const DeviceChoice& device) {
  const MatrixSetFile set(path);
  use_gpu(device, 0);
  MatrixSetMinima minima = on_device<DeviceMinima>().minima(
      set, threads == 0 ? omp_get_max_threads() : threads, device.index);
  minima.element = set.element();
  return minima;
}

template <class T>
std::array<T, 9> minima_reference(std::span<const T> matrices) {
  using Columns = Eigen::Matrix<T, matrix_positions, Eigen::Dynamic>;
  const Eigen::Map<const Columns> columns(
      matrices.data(), matrix_positions,
      static_cast<Eigen::Index>(matrices.size()) / matrix_positions);
  std::array<T, 9> minima;
  for (Eigen::Index position = 0; position < matrix_positions; ++position) {
    minima[static_cast<std::size_t>(position)] =
        columns.row(position).template minCoeff<Eigen::PropagateNaN>();
  }
  return minima;
}
template std::array<std::int32_t, 9> minima_reference<std::int32_t>(std::span<const std::int32_t>);
template std::array<float, 9> minima_reference<float>(std::span<const float>);
template std::array<double, 9> minima_reference<double>(std::span<const double>);

}  // namespace bombard
