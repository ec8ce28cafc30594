#include <algorithm>
#include <vector>

#include "kernels/device/device.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/device/launch.cuh"
#include "solvers/cublas.hpp"
#include "solvers/sums/dot.hpp"
#include "solvers/sums/operators.cuh"

namespace bombard::cuda {

namespace {

/// `threads` threads a row, `rows_a_block` rows a block.
template <class T, int threads, int rows_a_block>
__global__ void __launch_bounds__(threads* rows_a_block)
    row_dots_kernel(std::int64_t rows, std::int64_t columns, const T* a, const T* b, double* dots) {
  const int thread = static_cast<int>(threadIdx.x) % threads;
  const std::int64_t row =
      std::int64_t{blockIdx.x} * rows_a_block + static_cast<int>(threadIdx.x) / threads;
  if (row >= rows) return;  // whole warps: only rows of one warp share a block
  a += row * columns;
  b += row * columns;
  CompensatedSum sum{};
#pragma unroll 8
  for (std::int64_t j = thread; j < columns; j += threads) {
    sum.add(static_cast<double>(a[j]) * static_cast<double>(b[j]));
  }
  sum = WarpShuffles::combine_block<AccurateSum<double>, threads>(sum);
  if (thread == 0) dots[row] = sum.value();
}

/// Matrices that are on the device.
template <class T, int threads, int rows_a_block>
void launch_row_dots(const DenseView<T>& a, const DenseView<T>& b, double* dots) {
  launch("row dots", {(a.rows + rows_a_block - 1) / rows_a_block, threads * rows_a_block},
         row_dots_kernel<T, threads, rows_a_block>, a.rows, a.columns, a.values.data(),
         b.values.data(), dots);
}

template <class T>
void row_dots(const DenseView<T>& a, const DenseView<T>& b, double* dots, int threads) {
  // Few threads need no barrier, many hide the latency of long rows.
  if (threads == 0) threads = a.columns <= 512 ? 32 : 256;
  switch (threads) {
    case 32:
      return launch_row_dots<T, 32, 8>(a, b, dots);
    case 128:
      return launch_row_dots<T, 128, 1>(a, b, dots);
    case 256:
      return launch_row_dots<T, 256, 1>(a, b, dots);
    case 512:
      return launch_row_dots<T, 512, 1>(a, b, dots);
    default:
      return launch_row_dots<T, 1024, 1>(a, b, dots);
  }
}

template <class T>
void dot_on_device(const DenseView<T>& a, const DenseView<T>& b, std::span<double> dots,
                   DotKernel kernel, int threads, KernelTiming* timing) {
  require_device_memory(
      static_cast<std::int64_t>(a.values.size_bytes() + b.values.size_bytes() + dots.size_bytes()),
      "the scalar products");
  const DeviceArray<T> a_values{a.values};
  const DeviceArray<T> b_values{b.values};
  const DenseView<T> a_there{a.rows, a.columns, a_values.span()};
  const DenseView<T> b_there{b.rows, b.columns, b_values.span()};
  if (kernel == DotKernel::inhouse) {
    DeviceArray<double> there(a.rows);
    if (timing != nullptr) there.copy_from(dots);  // so that nothing right is there by chance
    run_timed(timing, [&] { row_dots(a_there, b_there, there.span().data(), threads); });
    there.copy_to(dots);
  } else {
    DeviceArray<T> there(a.rows);
    run_timed(timing, [&] {
      cublas_batched_dots(a.rows, a.columns, a_there.values.data(), b_there.values.data(),
                          there.span().data());
    });
    std::vector<T> in_t(dots.size());
    there.copy_to(in_t);
    std::ranges::copy(in_t, dots.begin());
  }
}

const Registered in_single{DeviceDot<float>{dot_on_device}};
const Registered in_double{DeviceDot<double>{dot_on_device}};

}  // namespace

}  // namespace bombard::cuda
