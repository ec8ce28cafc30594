#include <mutex>
#include <vector>

#include "kernels/device/device.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/device/upload.hpp"
#include "solvers/minima/minima.hpp"
#include "solvers/minima/minima_by_position.hpp"

namespace bombard {

namespace {

constexpr std::int64_t batch_matrices = std::int64_t{1} << 18;

/// What a reading thread has ready for the device: position after position, as the kernel wants it.
template <class T>
struct Batch {
  cuda::Upload<T> upload;
  std::span<T> elements;  ///< none until the first matrix comes
  std::int64_t matrices = 0;
};

/// While one batch is copied and reduced, the reading threads fill the next.
template <class T>
std::int64_t minima_on_device(const MatrixSet& set, int threads, int device,
                              std::array<T, 9>& least) {
  cuda::DeviceArray<T> minima{std::span<const T>(least)};
  std::vector<Batch<T>> batches(static_cast<std::size_t>(threads));
  std::mutex launching;
  const auto reduce = [&](Batch<T>& batch) {
    const std::lock_guard lock(launching);
    cuda::minima<T>(batch.upload.send(), batch_matrices, batch.matrices, minima.span());
    batch.upload.release();
    batch.elements = {};
    batch.matrices = 0;
  };
  const std::int64_t matrices = set.read<T>(threads, [&](int thread, std::span<const T> elements) {
    Batch<T>& batch = batches[static_cast<std::size_t>(thread)];
    for (std::size_t at = 0; at < elements.size(); at += 9) {
      if (batch.elements.empty()) {
        cuda::use_device(device);  // each thread of the host has a current device of its own
        batch.elements = batch.upload.fill(matrix_positions * batch_matrices);
      }
      for (std::size_t i = 0; i < 9; ++i) {
        batch.elements[i * batch_matrices + static_cast<std::size_t>(batch.matrices)] =
            elements[at + i];
      }
      if (++batch.matrices == batch_matrices) reduce(batch);
    }
  });
  for (Batch<T>& batch : batches) {
    if (batch.matrices > 0) reduce(batch);
  }
  minima.copy_to(least);
  return matrices;
}

const Registered of_integers{DeviceMinima<std::int32_t>{minima_on_device}};
const Registered in_single{DeviceMinima<float>{minima_on_device}};
const Registered in_double{DeviceMinima<double>{minima_on_device}};

}  // namespace

}  // namespace bombard
