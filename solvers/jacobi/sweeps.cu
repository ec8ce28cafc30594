#include <cooperative_groups.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/timer.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/device/launch.cuh"
#include "solvers/jacobi/sweeps.hpp"
#include "solvers/sums/operators.cuh"
#include "solvers/sums/smaller.hpp"

namespace bombard::cuda {

namespace {

/// max|x_new - x_old| and max|x_new|; NaN counts as the largest.
template <class T>
struct Sizes {
  T difference = 0;
  T value = 0;
};

template <class T>
struct LargestSizes {
  using Value = Sizes<T>;
  __device__ static Value identity() { return {}; }
  __device__ static Value combine(const Value& a, const Value& b) {
    return {Larger()(a.difference, b.difference), Larger()(a.value, b.value)};
  }
  __device__ static Value shuffle_down(const Value& value, int lanes) {
    return {__shfl_down_sync(~0U, value.difference, lanes),
            __shfl_down_sync(~0U, value.value, lanes)};
  }
};

template <class T>
struct System {
  std::int64_t n;
  const T* diagonal;
  const T* b;
  T* x;
  T* second;  ///< every other x
  double tolerance;
  std::int64_t limit = 0;
};

/// Rows of a dense matrix: a warp takes two at a time and reads each element of x once for both.
template <class T>
struct DenseRows {
  static constexpr std::int64_t threads_a_row = 16;
  const T* a;

  template <class Update>
  __device__ void sweep(std::int64_t n, const T* x, std::int64_t warp, std::int64_t warps,
                        const Update& update) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    for (std::int64_t row = 2 * warp; row < n; row += 2 * warps) {
      const T* first = a + row * n;
      const T* second = a + min(row + 1, n - 1) * n;
      T sum[2] = {};
#pragma unroll 8
      for (std::int64_t j = lane; j < n; j += 32) {
        sum[0] = fma(first[j], x[j], sum[0]);
        sum[1] = fma(second[j], x[j], sum[1]);
      }
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        const T dot = WarpShuffles::combine_warp<Sum<T>>(sum[r]);
        if (lane == 0 && row + r < n) update(row + r, dot);
      }
    }
  }
};

/// Rows of a sparse matrix, each for `lanes` lanes of a warp.
template <class T, int lanes>
struct SparseRows {
  static constexpr std::int64_t threads_a_row = lanes;
  const std::int64_t* row_offsets;
  const std::int32_t* column_indices;
  const T* values;

  template <class Update>
  __device__ void sweep(std::int64_t n, const T* x, std::int64_t warp, std::int64_t warps,
                        const Update& update) const {
    constexpr int rows_a_warp = 32 / lanes;
    const int lane = static_cast<int>(threadIdx.x) % lanes;
    const int group = static_cast<int>(threadIdx.x) % 32 / lanes;
    // All lanes of a warp stay for its shuffles, even those without a row.
    for (std::int64_t base = warp * rows_a_warp; base < n; base += warps * rows_a_warp) {
      const std::int64_t row = base + group;
      T sum = 0;
      if (row < n) {
        const std::int64_t end = row_offsets[row + 1];
        for (std::int64_t entry = row_offsets[row] + lane; entry < end; entry += lanes) {
          sum = fma(values[entry], x[column_indices[entry]], sum);
        }
      }
#pragma unroll
      for (int half = lanes / 2; half > 0; half /= 2) sum += __shfl_down_sync(~0U, sum, half);
      if (lane == 0 && row < n) update(row, sum);
    }
  }
};

/// Blocks that run at the same time and meet once per sweep. Each stores its largest sizes, then
/// reads those of all blocks, so that all decide the same. x and the sizes alternate between two
/// places, so no block overwrites what another still reads.
template <class T, class Rows, int threads>
__global__ void __launch_bounds__(threads)
    iterate_kernel(System<T> system, Rows rows, Sizes<T>* sizes_of_block,
                   JacobiProgress* progress) {
  __shared__ Sizes<T> largest;
  const auto grid = cooperative_groups::this_grid();
  const std::int64_t warp =
      std::int64_t{blockIdx.x} * (threads / 32) + static_cast<int>(threadIdx.x) / 32;
  const std::int64_t warps = std::int64_t{gridDim.x} * (threads / 32);
  const auto blocks = static_cast<int>(gridDim.x);
  T* current = system.x;
  T* next = system.second;
  JacobiProgress state;
  while (state.goes_on(system.limit)) {
    Sizes<T> sizes;
    rows.sweep(system.n, current, warp, warps, [&](std::int64_t i, T dot) {
      const T before = current[i];
      const T value = before + (system.b[i] - dot) / system.diagonal[i];
      next[i] = value;
      sizes = LargestSizes<T>::combine(sizes, {fabs(value - before), fabs(value)});
    });
    Sizes<T>* of_sweep = sizes_of_block + state.iterations % 2 * blocks;
    sizes = WarpShuffles::combine_block<LargestSizes<T>, threads>(sizes);
    if (threadIdx.x == 0) of_sweep[blockIdx.x] = sizes;
    grid.sync();
    sizes = {};
    for (int block = static_cast<int>(threadIdx.x); block < blocks; block += threads) {
      sizes = LargestSizes<T>::combine(sizes, of_sweep[block]);
    }
    sizes = WarpShuffles::combine_block<LargestSizes<T>, threads>(sizes);
    if (threadIdx.x == 0) largest = sizes;
    __syncthreads();
    state = after_sweep(state.iterations + 1, largest.difference, largest.value, system.tolerance);
    T* made = next;
    next = current;
    current = made;
  }
  if (current != system.x) {
    for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < system.n;
         i += std::int64_t{gridDim.x} * threads) {
      system.x[i] = system.second[i];
    }
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) *progress = state;
}

/// Iterates by iterate(sweeps), which continues from the last x with at most `sweeps` iterations;
/// if stop.interrupt is to be called between them, in slices of about a tenth of a second. An
/// iterate depends only on the one before it, so slices change no digit.
template <class Iterate>
JacobiProgress in_slices(const JacobiSettings& stop, const Iterate& iterate) {
  constexpr double slice_seconds = 0.1;
  JacobiProgress all;
  std::int64_t sweeps = stop.interrupt ? 1 : stop.iteration_limit;
  while (all.goes_on(stop.iteration_limit)) {
    if (stop.interrupt) stop.interrupt();
    const WallTimer timer;
    const JacobiProgress slice = iterate(std::min(sweeps, stop.iteration_limit - all.iterations));
    all = {all.iterations + slice.iterations, slice.change, slice.converged};
    if (timer.seconds() < slice_seconds / 2) sweeps = std::min(2 * sweeps, stop.iteration_limit);
  }
  return all;
}

/// DeviceJacobi's function, for rows that are on the device.
template <class T, class Rows>
JacobiProgress iterate(const Rows& rows, std::span<const T> diagonal, std::span<const T> b,
                       std::span<T> x, const JacobiSettings& stop, KernelFigures* figures) {
  constexpr int threads = 512;
  const auto kernel = iterate_kernel<T, Rows, threads>;
  const auto n = static_cast<std::int64_t>(x.size());
  // Blocks without a row would only make the meeting longer.
  const std::int64_t useful = (n * Rows::threads_a_row + threads - 1) / threads;
  const std::int64_t blocks = std::clamp<std::int64_t>(useful, 1, resident_blocks(kernel, threads));
  const DeviceArray<T> diagonal_there{diagonal};
  const DeviceArray<T> b_there{b};
  DeviceArray<T> x_there(n);
  DeviceArray<T> second(n);
  DeviceArray<Sizes<T>> sizes(2 * blocks);
  DeviceArray<JacobiProgress> progress_there(1);
  System<T> system{.n = n,
                   .diagonal = diagonal_there.span().data(),
                   .b = b_there.span().data(),
                   .x = x_there.span().data(),
                   .second = second.span().data(),
                   .tolerance = stop.tolerance};
  JacobiProgress progress;
  run_measured(figures, [&] {
    x_there.copy_from(x);
    progress = in_slices(stop, [&](std::int64_t sweeps) {
      system.limit = sweeps;
      launch_cooperative("Jacobi", {blocks, threads}, kernel, system, rows, sizes.span().data(),
                         progress_there.span().data());
      JacobiProgress slice;
      progress_there.copy_to({&slice, 1});
      return slice;
    });
  });
  x_there.copy_to(x);
  return progress;
}

/// The result of use(rows) for the matrix on the device.
template <class T, class Use>
JacobiProgress with_rows(const DenseView<T>& a, const Use& use) {
  const DeviceArray<T> values{a.values};
  return use(DenseRows<T>{values.span().data()});
}
template <class T, class Use>
JacobiProgress with_rows(const SparseView<T>& a, const Use& use) {
  const DeviceArray<std::int64_t> offsets{a.row_offsets};
  const DeviceArray<std::int32_t> columns{a.column_indices};
  const DeviceArray<T> values{a.values};
  const SparseRows<T, 32> rows{offsets.span().data(), columns.span().data(), values.span().data()};
  if (values.size() > 12 * a.rows) return use(rows);
  return use(SparseRows<T, 4>{rows.row_offsets, rows.column_indices, rows.values});
}

template <class T>
std::int64_t bytes_of(const DenseView<T>& a) {
  return static_cast<std::int64_t>(a.values.size_bytes());
}
template <class T>
std::int64_t bytes_of(const SparseView<T>& a) {
  return static_cast<std::int64_t>(a.values.size_bytes() + a.row_offsets.size_bytes() +
                                   a.column_indices.size_bytes());
}

template <class T, class Matrix>
JacobiProgress iterate_on_device(const Matrix& a, std::span<const T> diagonal, std::span<const T> b,
                                 std::span<T> x, const JacobiSettings& stop,
                                 KernelFigures* figures) {
  constexpr std::int64_t vectors = 4;  // the diagonal, b, and x twice
  require_device_memory(bytes_of(a) + vectors * static_cast<std::int64_t>(x.size_bytes()),
                        "Jacobi");
  return with_rows(
      a, [&](const auto& rows) { return iterate<T>(rows, diagonal, b, x, stop, figures); });
}

template <class T, class Matrix>
std::vector<DeviceJacobi<T, Matrix>> all() {
  return {{"in-house in one launch", 0, iterate_on_device<T, Matrix>}};
}
const Registered dense_in_single{all<float, DenseView<float>>()};
const Registered dense_in_double{all<double, DenseView<double>>()};
const Registered sparse_in_single{all<float, SparseView<float>>()};
const Registered sparse_in_double{all<double, SparseView<double>>()};

}  // namespace

}  // namespace bombard::cuda
