#include "kernels/device/device_memory.hpp"
#include "kernels/device/launch.cuh"
#include "solvers/sums/dot.hpp"
#include "solvers/sums/operators.cuh"

namespace bombard::cuda {

namespace {

/// `threads` threads per row, `rows_a_block` rows per block.
template <class T, int threads, int rows_a_block>
__global__ void __launch_bounds__(threads* rows_a_block)
    row_dots_kernel(std::int64_t rows, std::int64_t columns, const T* a, const T* b, double* dots) {
  const int thread = static_cast<int>(threadIdx.x) % threads;
  const std::int64_t row =
      std::int64_t{blockIdx.x} * rows_a_block + static_cast<int>(threadIdx.x) / threads;
  if (row >= rows) return;  // whole warps: only rows of one warp share a block
  a += row * columns;
  b += row * columns;
  double sum = 0;
#pragma unroll 8
  for (std::int64_t j = thread; j < columns; j += threads) {
    sum += static_cast<double>(a[j]) * static_cast<double>(b[j]);
  }
  sum = WarpShuffles::combine_block<Sum<double>, threads>(sum);
  if (thread == 0) dots[row] = sum;
}

template <class T, int threads, int rows_a_block>
void dot_on_device(const DenseView<T>& a, const DenseView<T>& b, std::span<double> dots,
                   double* seconds) {
  require_device_memory(
      static_cast<std::int64_t>(a.values.size_bytes() + b.values.size_bytes() + dots.size_bytes()),
      "the scalar products");
  const DeviceArray<T> a_there{a.values};
  const DeviceArray<T> b_there{b.values};
  DeviceArray<double> there(a.rows);
  if (seconds != nullptr) there.copy_from(dots);  // so that no right value is there by chance
  run_timed(seconds, [&] {
    launch("row dots", {(a.rows + rows_a_block - 1) / rows_a_block, threads * rows_a_block},
           row_dots_kernel<T, threads, rows_a_block>, a.rows, a.columns, a_there.span().data(),
           b_there.span().data(), there.span().data());
  });
  there.copy_to(dots);
}

template <class T>
std::vector<DeviceDot<T>> all() {
  return {{"in-house", 256, dot_on_device<T, 256, 1>},
          {"in-house", 32, dot_on_device<T, 32, 8>},
          {"in-house", 128, dot_on_device<T, 128, 1>},
          {"in-house", 512, dot_on_device<T, 512, 1>},
          {"in-house", 1024, dot_on_device<T, 1024, 1>}};
}
const Registered in_single{all<float>()};
const Registered in_double{all<double>()};

}  // namespace

}  // namespace bombard::cuda
