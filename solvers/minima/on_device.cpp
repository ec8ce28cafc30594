#include "solvers/minima/on_device.hpp"

#include <algorithm>
#include <limits>

#include "kernels/device/device.hpp"
#include "solvers/minima/minima_by_position.hpp"
#include "solvers/on_device.hpp"

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

namespace {

MatrixSetMinima minima_on_device(const MatrixSetFile& set, int threads, int device) {
  constexpr std::int64_t batch = std::int64_t{1} << 18;  // matrices that a thread reads for a copy
  return std::visit(
      [&]<class T>(T) {
        GpuMinima<T> gpu(device, threads, batch);
        MatrixSetMinima minima;
        minima.matrices = set.read_batches<T>(threads, batch, gpu);
        std::ranges::copy(gpu.minima(), minima.values.begin());
        return minima;
      },
      set.element());
}

const Registered registration{DeviceMinima{minima_on_device}};

}  // namespace

}  // namespace bombard
