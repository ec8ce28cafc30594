#include <algorithm>
#include <vector>

#include "kernels/device/device.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/device/launch.cuh"
#include "solvers/cublas.hpp"
#include "solvers/sums/operators.cuh"
#include "solvers/sums/row_dots.hpp"
#include "solvers/timed.hpp"

namespace bombard::cuda {

namespace {

template <class T>
__device__ double product_of(T x, T y) {
  return static_cast<double>(x) * static_cast<double>(y);
}

/// `threads` threads a row, `rows_a_block` rows a block. 16 bytes of each row at a time, four pairs
/// of loads in flight; elements before the first 16-byte boundary, which the rows of both matrices
/// have at the same place, and behind the last go one by one.
template <class T, int threads, int rows_a_block>
__global__ void __launch_bounds__(threads* rows_a_block)
    row_dots_kernel(std::int64_t rows, std::int64_t columns, const T* a, const T* b, double* dots) {
  constexpr int size = Pack<T>::size;
  constexpr int loads = 4;
  const int thread = static_cast<int>(threadIdx.x) % threads;
  const std::int64_t row =
      std::int64_t{blockIdx.x} * rows_a_block + static_cast<int>(threadIdx.x) / threads;
  if (row >= rows) return;  // whole warps: only rows of one warp share a block
  a += row * columns;
  b += row * columns;
  const std::int64_t head = min(columns, std::int64_t{elements_to_boundary(a)});
  const std::int64_t packs = (columns - head) / size;

  CompensatedSum sum{};
  const auto add = [&](const Pack<T>& x, const Pack<T>& y) {
#pragma unroll
    for (int e = 0; e < size; ++e) sum.add(product_of(x.element[e], y.element[e]));
  };
  std::int64_t p = thread;
  for (; p + (loads - 1) * threads < packs; p += loads * threads) {
    Pack<T> x[loads];
    Pack<T> y[loads];
#pragma unroll
    for (int i = 0; i < loads; ++i) {
      x[i] = load_once(a + head + (p + i * threads) * size);
      y[i] = load_once(b + head + (p + i * threads) * size);
    }
#pragma unroll
    for (int i = 0; i < loads; ++i) add(x[i], y[i]);
  }
  for (; p < packs; p += threads) {
    add(load_once(a + head + p * size), load_once(b + head + p * size));
  }
  for (std::int64_t j = thread; j < head; j += threads) sum.add(product_of(a[j], b[j]));
  for (std::int64_t j = head + packs * size + thread; j < columns; j += threads) {
    sum.add(product_of(a[j], b[j]));
  }
  sum = WarpShuffles::combine_block<AccurateSum<double>, threads>(sum);
  if (thread == 0) dots[row] = sum.value();
}

template <class T, int threads, int rows_a_block>
void launch_row_dots(std::int64_t columns, std::span<const T> a, std::span<const T> b,
                     std::span<double> dots) {
  const auto rows = static_cast<std::int64_t>(dots.size());
  launch("row dots", {(rows + rows_a_block - 1) / rows_a_block, threads * rows_a_block},
         row_dots_kernel<T, threads, rows_a_block>, rows, columns, a.data(), b.data(), dots.data());
}

template <class T>
void row_dots(std::int64_t columns, std::span<const T> a, std::span<const T> b,
              std::span<double> dots, int threads) {
  // Measured on an H200: few threads need no barrier, many hide the latency of long rows, and rows
  // of 128 threads lose where most of a row is left over behind whole rounds of four loads.
  if (threads == 0) {
    threads = columns <= 512 ? 32 : columns <= 2048 ? 128 : columns <= 8192 ? 32 : 256;
  }
  switch (threads) {
    case 32:
      return launch_row_dots<T, 32, 8>(columns, a, b, dots);
    case 128:
      return launch_row_dots<T, 128, 1>(columns, a, b, dots);
    case 256:
      return launch_row_dots<T, 256, 1>(columns, a, b, dots);
    case 512:
      return launch_row_dots<T, 512, 1>(columns, a, b, dots);
    default:
      return launch_row_dots<T, 1024, 1>(columns, a, b, dots);
  }
}

template <class T>
void dots_on_device(std::int64_t columns, std::span<const T> a, std::span<const T> b,
                    std::span<double> dots, RowDotsKernel kernel, int threads,
                    KernelTiming* timing) {
  require_device_memory(
      static_cast<std::int64_t>(a.size_bytes() + b.size_bytes() + dots.size_bytes()),
      "the scalar products");
  const auto rows = static_cast<std::int64_t>(dots.size());
  const DeviceArray<T> a_there{a};
  const DeviceArray<T> b_there{b};
  if (kernel == RowDotsKernel::inhouse) {
    DeviceArray<double> there(rows);
    if (timing != nullptr) there.copy_from(dots);  // so that nothing right is there by chance
    run_timed(timing,
              [&] { row_dots<T>(columns, a_there.span(), b_there.span(), there.span(), threads); });
    there.copy_to(dots);
    return;
  }
  DeviceArray<T> there(rows);
  run_timed(timing, [&] {
    cublas_batched_dots<T>(rows, columns, a_there.span().data(), b_there.span().data(),
                           there.span().data());
  });
  std::vector<T> in_t(dots.size());
  there.copy_to(in_t);
  std::ranges::copy(in_t, dots.begin());
}

const Registered in_single{DeviceRowDots<float>{dots_on_device}};
const Registered in_double{DeviceRowDots<double>{dots_on_device}};

}  // namespace

}  // namespace bombard::cuda
