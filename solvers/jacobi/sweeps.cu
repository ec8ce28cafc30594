#include <cooperative_groups.h>

#include <algorithm>
#include <cmath>

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

/// Rows of a matrix, each for `lanes` lanes of a warp. A dense one has every column of each row,
/// and neither offsets nor indices.
template <class T, int lanes, bool dense>
struct Rows {
  static constexpr std::int64_t threads_a_row = lanes;
  const T* values;
  const std::int64_t* row_offsets = nullptr;
  const std::int32_t* column_indices = nullptr;

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
        const std::int64_t begin = dense ? row * n : row_offsets[row];
        const std::int64_t end = dense ? begin + n : row_offsets[row + 1];
#pragma unroll 8
        for (std::int64_t entry = begin + lane; entry < end; entry += lanes) {
          sum = fma(values[entry], x[dense ? entry - begin : column_indices[entry]], sum);
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
template <class T, class MatrixRows, int threads>
__global__ void __launch_bounds__(threads)
    iterate_kernel(System<T> system, MatrixRows rows, Sizes<T>* sizes_of_block,
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

/// DeviceJacobi's function, for rows that are on the device.
template <class T, class MatrixRows>
JacobiProgress iterate(const MatrixRows& rows, std::span<const T> diagonal, std::span<const T> b,
                       std::span<T> x, const JacobiSettings& stop, double* seconds) {
  constexpr int threads = 512;
  constexpr std::int64_t sweeps_a_launch = 100;  // a tenth of a second for a matrix of 4 GB
  const auto kernel = iterate_kernel<T, MatrixRows, threads>;
  const auto n = static_cast<std::int64_t>(x.size());
  // Blocks without a row would only make the meeting longer.
  const std::int64_t useful = (n * MatrixRows::threads_a_row + threads - 1) / threads;
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
  run_timed(seconds, [&] {
    x_there.copy_from(x);
    progress = {};
    while (progress.goes_on(stop.iteration_limit)) {
      if (stop.interrupt) stop.interrupt();
      system.limit = std::min(sweeps_a_launch, stop.iteration_limit - progress.iterations);
      launch_cooperative("Jacobi", {blocks, threads}, kernel, system, rows, sizes.span().data(),
                         progress_there.span().data());
      const std::int64_t before = progress.iterations;
      progress_there.copy_to({&progress, 1});
      progress.iterations += before;
    }
  });
  x_there.copy_to(x);
  return progress;
}

template <class T, class Matrix>
JacobiProgress of_matrix(const Matrix& a, std::span<const T> diagonal, std::span<const T> b,
                         std::span<T> x, const JacobiSettings& stop, double* seconds) {
  constexpr bool dense = std::is_same_v<Matrix, DenseView<T>>;
  // An entry; for each row the diagonal, b, both places of x, and an offset.
  constexpr std::int64_t entry = sizeof(T) + (dense ? 0 : sizeof(std::int32_t));
  constexpr std::int64_t row = 4 * sizeof(T) + sizeof(std::int64_t);
  require_device_memory(entry * std::ssize(a.values) + row * a.rows, "Jacobi");
  const DeviceArray<T> values{a.values};
  if constexpr (dense) {
    const Rows<T, 32, true> rows{values.span().data()};
    return iterate<T>(rows, diagonal, b, x, stop, seconds);
  } else {
    const DeviceArray<std::int64_t> offsets{a.row_offsets};
    const DeviceArray<std::int32_t> columns{a.column_indices};
    const auto by = [&]<int lanes>() {
      const Rows<T, lanes, false> rows{values.span().data(), offsets.span().data(),
                                       columns.span().data()};
      return iterate<T>(rows, diagonal, b, x, stop, seconds);
    };
    return values.size() > 12 * a.rows ? by.template operator()<32>() : by.template operator()<4>();
  }
}

template <class T, class Matrix>
std::vector<DeviceJacobi<T, Matrix>> all() {
  return {{"in-house in one launch", 0, of_matrix<T, Matrix>}};
}
const Registered dense_in_single{all<float, DenseView<float>>()};
const Registered dense_in_double{all<double, DenseView<double>>()};
const Registered sparse_in_single{all<float, SparseView<float>>()};
const Registered sparse_in_double{all<double, SparseView<double>>()};

}  // namespace

}  // namespace bombard::cuda
