#include "solvers/minima.hpp"

#include <omp.h>

#include <Eigen/Core>
#include <algorithm>
#include <limits>

#include "kernels/device/device.hpp"
#include "kernels/reduction/minima.hpp"

namespace bombard {

template <class T>
GpuMinima<T>::GpuMinima(int device, int threads, std::int64_t capacity)
    : device_(device),
      capacity_(capacity),
      uploads_(static_cast<std::size_t>(threads)),
      device_is_current_(static_cast<std::size_t>(threads)),
      minima_(matrix_positions) {
  using Limits = std::numeric_limits<T>;
  std::array<T, matrix_positions> none;
  none.fill(Limits::has_infinity ? Limits::infinity() : Limits::max());
  minima_.copy_from(none);
}

template <class T>
std::span<T> GpuMinima<T>::room(int thread) {
  const auto t = static_cast<std::size_t>(thread);
  if (device_is_current_[t] == 0) {
    cuda::use_device(device_);  // each thread of the host has a current device of its own
    device_is_current_[t] = 1;
  }
  return uploads_[t].fill(matrix_positions * capacity_);
}

template <class T>
void GpuMinima<T>::take(int thread, std::span<const T>, std::int64_t matrices) {
  const std::lock_guard lock(launching_);
  auto& upload = uploads_[static_cast<std::size_t>(thread)];
  cuda::minima<T>(upload.send(), capacity_, matrices, minima_.span());
  upload.release();
}

template <class T>
std::array<T, 9> GpuMinima<T>::minima() const {
  std::array<T, 9> host;
  minima_.copy_to(host);
  return host;
}

template class GpuMinima<std::int32_t>;
template class GpuMinima<float>;
template class GpuMinima<double>;

MatrixSetMinima minima_on_gpu(const std::string& path, int threads, const DeviceChoice& device) {
  constexpr std::int64_t batch = std::int64_t{1} << 18;  // matrices that a thread reads for a copy
  const MatrixSetFile set(path);
  use_gpu(device, 0);
  if (threads == 0) threads = omp_get_max_threads();
  return std::visit(
      [&]<class T>(T) {
        GpuMinima<T> gpu(device.index, threads, batch);
        MatrixSetMinima minima;
        minima.matrices = set.read_batches<T>(threads, batch, gpu);
        std::ranges::copy(gpu.minima(), minima.values.begin());
        return minima;
      },
      set.element());
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
