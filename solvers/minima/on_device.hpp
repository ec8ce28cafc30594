#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "inputs/matrix_set.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/device/upload.hpp"

namespace bombard {

/// The element-wise minimum of 3x3 matrices of T that arrive in batches, on the current GPU: while
/// one batch is copied and reduced, the reading threads fill the next. To be given to
/// MatrixSetFile::read_batches() with the same number of threads and the same capacity. The same
/// bits as on the processor, in whatever order batches come.
template <class T>
class GpuMinima final : public MatrixBatchSink<T> {
 public:
  /// `device` must be current; `capacity` matrices a batch.
  GpuMinima(int device, int threads, std::int64_t capacity);
  std::span<T> room(int thread) override;
  void take(int thread, std::span<const T> values, std::int64_t matrices) override;
  /// The minima of all matrices taken; without any, what every value is below or equal to. Waits
  /// for them.
  std::array<T, 9> minima() const;

 private:
  int device_;
  std::int64_t capacity_;
  std::vector<cuda::Upload<T>> uploads_;  ///< one a reading thread
  std::vector<char> device_is_current_;   ///< for each reading thread
  cuda::DeviceArray<T> minima_;
  std::mutex launching_;
};

}  // namespace bombard
