#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "inputs/matrix_set.hpp"
#include "kernels/device_memory.hpp"
#include "kernels/upload.hpp"

namespace bombard {

/// The element-wise minimum of 3x3 integer matrices that arrive in batches, on the current GPU:
/// while one batch is copied and reduced, the reading threads fill the next. To be given to
/// read_matrix_batches() with the same number of threads and the same capacity.
class GpuMinima final : public MatrixBatchSink {
 public:
  /// `device` must be current; `capacity` matrices a batch.
  GpuMinima(int device, int threads, std::int64_t capacity);
  std::span<std::int32_t> room(int thread) override;
  void take(int thread, std::span<const std::int32_t> values, std::int64_t matrices) override;
  /// The minima of all matrices taken; INT32_MAX without any. Waits for them.
  std::array<std::int32_t, 9> minima() const;

 private:
  int device_;
  std::int64_t capacity_;
  std::vector<cuda::Upload<std::int32_t>> uploads_;  ///< one a reading thread
  std::vector<char> device_is_current_;              ///< for each reading thread
  cuda::DeviceArray<std::int32_t> minima_;
  std::mutex launching_;
};

/// Eigen's, of matrices one after another (9 values each): what `--validate` compares with.
template <class T>
std::array<T, 9> minima_reference(std::span<const T> matrices);

}  // namespace bombard
