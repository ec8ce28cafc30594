#include <cub/device/device_reduce.cuh>
#include <mutex>
#include <vector>

#include "kernels/device/device.hpp"
#include "kernels/device/upload.hpp"
#include "solvers/minima/minima.hpp"
#include "solvers/minima/minima_by_position.hpp"
#include "solvers/sums/operators.cuh"
#include "solvers/timed.hpp"

namespace bombard::cuda {

namespace {

template <class T>
void minima(std::span<const T> values, std::int64_t stride, std::int64_t matrices,
            std::span<T> minima) {
  if (matrices == 0) return;
  InhouseReduction<Minimum<T>> reduce(matrices, stride, static_cast<int>(matrix_positions));
  reduce(values.data(), minima.data(), true);
}

template <class T>
void cub_minima(std::span<const T> values, std::int64_t matrices, std::span<T> minima,
                KernelTiming* timing) {
  std::size_t bytes = 0;
  check(cub::DeviceReduce::Min(nullptr, bytes, values.data(), minima.data(), matrices),
        "sizing CUB's minimum");
  DeviceArray<std::byte> workspace(static_cast<std::int64_t>(bytes));
  run_timed(timing, [&] {
    for (std::int64_t position = 0; position < matrix_positions; ++position) {
      check(cub::DeviceReduce::Min(workspace.span().data(), bytes,
                                   values.data() + position * matrices, minima.data() + position,
                                   matrices),
            "CUB's minimum");
    }
  });
}

template <class T>
void minima_on_device(std::span<const T> values, std::int64_t stride, std::int64_t matrices,
                      std::span<T> minima, MinimaKernel kernel, KernelTiming* timing) {
  const DeviceArray<T> there{values};
  DeviceArray<T> minima_there{std::span<const T>(minima)};
  if (kernel == MinimaKernel::cub) {
    cub_minima<T>(there.span(), matrices, minima_there.span(), timing);
  } else {
    run_timed(timing,
              [&] { cuda::minima<T>(there.span(), stride, matrices, minima_there.span()); });
  }
  minima_there.copy_to(minima);
}

const Registered of_integers{DeviceMinimaByPosition<std::int32_t>{minima_on_device}};
const Registered in_single{DeviceMinimaByPosition<float>{minima_on_device}};
const Registered in_double{DeviceMinimaByPosition<double>{minima_on_device}};

constexpr std::int64_t batch_matrices = std::int64_t{1} << 18;

/// The matrices that a reading thread has ready for the device: position after position, as the
/// kernel wants it.
template <class T>
struct Batch {
  Upload<T> upload;
  std::span<T> elements;  ///< none until the first matrix comes
  std::int64_t matrices = 0;
};

/// While one batch is copied and reduced, the reading threads fill the next.
template <class T>
std::int64_t minima_of_set(const MatrixSet& set, int threads, int device, std::array<T, 9>& least) {
  DeviceArray<T> minima{std::span<const T>(least)};
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
        use_device(device);  // each thread of the host has a current device of its own
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

const Registered sets_of_integers{DeviceMinima<std::int32_t>{minima_of_set}};
const Registered sets_in_single{DeviceMinima<float>{minima_of_set}};
const Registered sets_in_double{DeviceMinima<double>{minima_of_set}};

}  // namespace

}  // namespace bombard::cuda
