#include <cooperative_groups.h>

#include <algorithm>
#include <cuda/std/bit>
#include <type_traits>

#include "kernels/device/device.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/device/launch.cuh"
#include "kernels/device/mail.cuh"
#include "kernels/device/vector_load.cuh"
#include "solvers/cublas.hpp"
#include "solvers/jacobi/slices.hpp"
#include "solvers/sums/operators.cuh"
#include "solvers/timed.hpp"

namespace bombard::cuda {

namespace {

/// A magnitude as the unsigned integer of its bits: the same order, and NaN above infinity, so that
/// a maximum never loses one.
template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T>
__device__ Bits<T> magnitude(T value) {
  return ::cuda::std::bit_cast<Bits<T>>(fabs(value));
}

/// max|x_new - x_old| and max|x_new|, as magnitudes.
template <class T>
struct Sizes {
  Bits<T> difference = 0;
  Bits<T> value = 0;
};

template <class T>
struct LargestSizes {
  using Value = Sizes<T>;
  __device__ static Value identity() { return {}; }
  __device__ static Value combine(const Value& a, const Value& b) {
    return {max(a.difference, b.difference), max(a.value, b.value)};
  }
  __device__ static Value shuffle_down(const Value& value, int lanes) {
    return {__shfl_down_sync(~0U, value.difference, lanes),
            __shfl_down_sync(~0U, value.value, lanes)};
  }
};

/// The block's largest sizes, for all of its threads. Two barriers.
template <class T, int threads>
__device__ Sizes<T> largest_of_block(Sizes<T> sizes) {
  __shared__ Sizes<T> largest;
  sizes = WarpShuffles::combine_block<LargestSizes<T>, threads>(sizes);
  if (threadIdx.x == 0) largest = sizes;
  __syncthreads();
  return largest;
}

/// The state of the iteration after a sweep with these sizes.
template <class T>
__device__ JacobiProgress judged(std::int64_t iterations, const Sizes<T>& sizes, double tolerance) {
  const auto difference = static_cast<double>(::cuda::std::bit_cast<T>(sizes.difference));
  const auto value = static_cast<double>(::cuda::std::bit_cast<T>(sizes.value));
  if (!isfinite(value)) return {iterations, nan(""), false};
  return {iterations, difference == 0 ? 0 : difference / value, difference <= tolerance * value};
}

template <class T>
__device__ T updated(T x, T b, T dot, T diagonal) {
  return x + (b - dot) / diagonal;
}

template <class T>
struct System {
  std::int64_t n;
  const T* diagonal;
  const T* b;
  double tolerance;
  std::int64_t limit;
};

// --- Small dense systems: the matrix stays in shared memory -------------------------------------

/// Blocks that run at the same time, each with `rows_a_block` rows of A and all of x in its shared
/// memory. A sweep: a warp a row, the new elements sent to all; then every block receives the whole
/// x and computes the change for itself, so all decide the same. Two mailboxes take turns: whoever
/// sends sweep k + 2 has received sweep k + 1 of all, and so all have received sweep k.
template <class T, int threads>
__global__ void __launch_bounds__(threads)
    resident_kernel(System<T> system, const T* a, int rows_a_block, std::uint64_t* mail, T* x,
                    JacobiProgress* progress) {
  extern __shared__ __align__(16) unsigned char shared[];
  const auto n = static_cast<int>(system.n);
  const int first = static_cast<int>(blockIdx.x) * rows_a_block;
  const int rows = min(rows_a_block, n - first);
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % 32;
  T* x_here = reinterpret_cast<T*>(shared);
  T* rows_here = x_here + n;
  for (int i = thread; i < n; i += threads) x_here[i] = x[i];
  for (int i = thread; i < rows * n; i += threads) {
    rows_here[i] = a[std::int64_t{first} * n + i];
  }
  __syncthreads();

  JacobiProgress state;
  while (state.iterations < system.limit && !state.converged && !isnan(state.change)) {
    const auto sweep = static_cast<std::uint32_t>(state.iterations);
    std::uint64_t* box = mail + sweep % 2 * std::int64_t{n} * mail_words<T>;
    for (int row = thread / 32; row < rows; row += threads / 32) {
      const T* of_row = rows_here + row * n;
      T sum[4] = {};
      int j = lane;
      for (; j + 96 < n; j += 128) {
#pragma unroll
        for (int u = 0; u < 4; ++u) {
          sum[u] = fma(of_row[j + 32 * u], x_here[j + 32 * u], sum[u]);
        }
      }
      for (; j < n; j += 32) sum[0] = fma(of_row[j], x_here[j], sum[0]);
      const T dot = WarpShuffles::combine_warp<Sum<T, T>>((sum[0] + sum[1]) + (sum[2] + sum[3]));
      if (lane == 0) {
        const int i = first + row;
        send(box + i * mail_words<T>, updated(x_here[i], system.b[i], dot, system.diagonal[i]),
             sweep);
      }
    }
    __syncthreads();  // x of before is no longer read
    Sizes<T> sizes;
    for (int i = thread; i < n; i += threads) {
      const T value = receive<T>(box + i * mail_words<T>, sweep);
      sizes = LargestSizes<T>::combine(sizes, {magnitude(value - x_here[i]), magnitude(value)});
      x_here[i] = value;
    }
    state = judged(state.iterations + 1, largest_of_block<T, threads>(sizes), system.tolerance);
  }
  if (blockIdx.x == 0) {
    for (int i = thread; i < n; i += threads) x[i] = x_here[i];
    if (thread == 0) *progress = state;
  }
}

// --- Systems of any size: a sweep reads the matrix from L2 or device memory
// -----------------------

/// Rows of a dense matrix: a warp takes two at a time and reads each element of x once for both.
/// `aligned`: rows start at 16-byte boundaries and have whole packs.
template <class T, bool aligned>
struct DenseRows {
  static constexpr int together = 2;
  const T* a;

  template <class Update>
  __device__ void sweep(std::int64_t n, const T* x, std::int64_t warp, std::int64_t warps,
                        const Update& update) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    for (std::int64_t row = warp * together; row < n; row += warps * together) {
      T sum[together] = {};
      const T* of_row[together];
#pragma unroll
      for (int r = 0; r < together; ++r) of_row[r] = a + min(row + r, n - 1) * n;
      if constexpr (aligned) {
        constexpr int size = Pack<T>::size;
        constexpr int loads = 4;
        const auto add = [&](const Pack<T>& of_a, const Pack<T>& of_x, T& to) {
#pragma unroll
          for (int e = 0; e < size; ++e) to = fma(of_a.element[e], of_x.element[e], to);
        };
        std::int64_t j = lane * size;
        for (; j + (loads - 1) * 32 * size < n; j += loads * 32 * size) {
          Pack<T> of_a[together][loads];
#pragma unroll
          for (int u = 0; u < loads; ++u) {
#pragma unroll
            for (int r = 0; r < together; ++r) {
              of_a[r][u] = load_once(of_row[r] + j + u * 32 * size);
            }
          }
#pragma unroll
          for (int u = 0; u < loads; ++u) {
            const auto of_x = *reinterpret_cast<const Pack<T>*>(x + j + u * 32 * size);
#pragma unroll
            for (int r = 0; r < together; ++r) add(of_a[r][u], of_x, sum[r]);
          }
        }
        for (; j < n; j += 32 * size) {
          const auto of_x = *reinterpret_cast<const Pack<T>*>(x + j);
#pragma unroll
          for (int r = 0; r < together; ++r) add(load_once(of_row[r] + j), of_x, sum[r]);
        }
      } else {
#pragma unroll 8
        for (std::int64_t j = lane; j < n; j += 32) {
#pragma unroll
          for (int r = 0; r < together; ++r) sum[r] = fma(of_row[r][j], x[j], sum[r]);
        }
      }
#pragma unroll
      for (int r = 0; r < together; ++r) {
        const T dot = WarpShuffles::combine_warp<Sum<T, T>>(sum[r]);
        if (lane == 0 && row + r < n) update(row + r, dot);
      }
    }
  }
};

/// Rows of a sparse matrix, `lanes` lanes of a warp each.
template <class T, int lanes>
struct SparseRows {
  const std::int64_t* row_offsets;
  const std::int32_t* column_indices;
  const T* values;

  template <class Update>
  __device__ void sweep(std::int64_t n, const T* x, std::int64_t warp, std::int64_t warps,
                        const Update& update) const {
    constexpr int rows_a_warp = 32 / lanes;
    const int lane = static_cast<int>(threadIdx.x) % lanes;
    const int group = static_cast<int>(threadIdx.x) % 32 / lanes;
    // All lanes of a warp stay for its shuffles, also those without a row.
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

/// Blocks that run at the same time and meet once a sweep. Each leaves its largest sizes, then
/// looks at those of all: all decide the same. x and the sizes alternate between two places, so no
/// block overwrites what another still reads.
template <class T, class Rows, int threads>
__global__ void __launch_bounds__(threads)
    iterate_kernel(System<T> system, Rows rows, T* x, T* second, Sizes<T>* sizes_of_block,
                   JacobiProgress* progress) {
  const auto grid = cooperative_groups::this_grid();
  const std::int64_t warp =
      std::int64_t{blockIdx.x} * (threads / 32) + static_cast<int>(threadIdx.x) / 32;
  const std::int64_t warps = std::int64_t{gridDim.x} * (threads / 32);
  const auto blocks = static_cast<int>(gridDim.x);
  T* current = x;
  T* next = second;
  JacobiProgress state;
  while (state.iterations < system.limit && !state.converged && !isnan(state.change)) {
    Sizes<T> sizes;
    rows.sweep(system.n, current, warp, warps, [&](std::int64_t i, T dot) {
      const T value = updated(current[i], system.b[i], dot, system.diagonal[i]);
      next[i] = value;
      sizes = LargestSizes<T>::combine(sizes, {magnitude(value - current[i]), magnitude(value)});
    });
    Sizes<T>* of_sweep = sizes_of_block + state.iterations % 2 * blocks;
    sizes = WarpShuffles::combine_block<LargestSizes<T>, threads>(sizes);
    if (threadIdx.x == 0) of_sweep[blockIdx.x] = sizes;
    grid.sync();
    sizes = {};
    for (int block = static_cast<int>(threadIdx.x); block < blocks; block += threads) {
      sizes = LargestSizes<T>::combine(sizes, of_sweep[block]);
    }
    state = judged(state.iterations + 1, largest_of_block<T, threads>(sizes), system.tolerance);
    T* made = next;
    next = current;
    current = made;
  }
  if (current != x) {
    for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < system.n;
         i += std::int64_t{gridDim.x} * threads) {
      x[i] = second[i];
    }
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) *progress = state;
}

JacobiProgress to_host(const DeviceArray<JacobiProgress>& progress) {
  JacobiProgress host;
  progress.copy_to({&host, 1});
  return host;
}

template <class T, class Rows>
JacobiProgress iterate(const System<T>& system, const Rows& rows, std::int64_t work_a_row,
                       std::span<T> x) {
  constexpr int threads = 512;
  const auto kernel = iterate_kernel<T, Rows, threads>;
  // Blocks with no row to do would only make the meeting longer.
  const std::int64_t useful = (system.n * work_a_row + threads - 1) / threads;
  const std::int64_t blocks = std::clamp<std::int64_t>(useful, 1, resident_blocks(kernel, threads));
  DeviceArray<T> second(system.n);
  DeviceArray<Sizes<T>> sizes(2 * blocks);
  DeviceArray<JacobiProgress> progress(1);
  launch_cooperative("Jacobi", {blocks, threads}, kernel, system, rows, x.data(),
                     second.span().data(), sizes.span().data(), progress.span().data());
  return to_host(progress);
}

/// The iteration with A in shared memory, or nothing when it does not fit.
template <class T, int threads>
bool iterate_resident(const System<T>& system, const T* a, std::span<T> x,
                      DeviceArray<JacobiProgress>& progress) {
  const auto kernel = resident_kernel<T, threads>;
  const std::int64_t n = system.n;
  const std::int64_t multiprocessors = device_attribute(cudaDevAttrMultiProcessorCount);
  const std::int64_t rows_a_block = (n + multiprocessors - 1) / multiprocessors;
  const std::int64_t bytes = (rows_a_block + 1) * n * static_cast<std::int64_t>(sizeof(T));
  if (bytes > most_shared_memory(kernel) || system.limit > INT32_MAX) return false;
  allow_shared_memory(kernel);
  // No sweep has the number that the empty mailboxes show.
  DeviceArray<std::uint64_t> mail(2 * n * mail_words<T>);
  check(cudaMemsetAsync(mail.span().data(), 0xFF, mail.span().size_bytes(), nullptr),
        "clearing memory");
  launch_cooperative("Jacobi in shared memory",
                     {(n + rows_a_block - 1) / rows_a_block, threads, bytes}, kernel, system, a,
                     static_cast<int>(rows_a_block), mail.span().data(), x.data(),
                     progress.span().data());
  return true;
}

template <class T>
__global__ void update_kernel(System<T> system, const T* product, T* x, Sizes<T>* sizes) {
  constexpr int threads = 256;
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  Sizes<T> mine;
  if (i < system.n) {
    const T value = updated(x[i], system.b[i], product[i], system.diagonal[i]);
    mine = {magnitude(value - x[i]), magnitude(value)};
    x[i] = value;
  }
  mine = WarpShuffles::combine_block<LargestSizes<T>, threads>(mine);
  if (threadIdx.x == 0) sizes[blockIdx.x] = mine;
}

template <class T>
__global__ void judge_kernel(const Sizes<T>* sizes, int count, std::int64_t iterations,
                             double tolerance, JacobiProgress* progress) {
  Sizes<T> largest;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += 256) {
    largest = LargestSizes<T>::combine(largest, sizes[i]);
  }
  largest = largest_of_block<T, 256>(largest);
  if (threadIdx.x == 0) *progress = judged(iterations, largest, tolerance);
}

template <class T>
JacobiProgress jacobi_by_gemv(const T* a, std::span<const T> diagonal, std::span<const T> b,
                              std::span<T> x, double tolerance, std::int64_t limit) {
  const auto n = static_cast<std::int64_t>(x.size());
  const System<T> system{n, diagonal.data(), b.data(), tolerance, limit};
  const LaunchShape shape = one_thread_each(n, 256);
  DeviceArray<T> product(n);
  DeviceArray<Sizes<T>> sizes(shape.blocks);
  DeviceArray<JacobiProgress> progress(1);
  JacobiProgress state;
  while (state.iterations < limit && !state.converged && state.change == state.change) {
    cublas_gemv(n, a, x.data(), product.span().data());
    launch("update x", shape, update_kernel<T>, system, product.span().data(), x.data(),
           sizes.span().data());
    launch("judge", {1, 256}, judge_kernel<T>, sizes.span().data(), static_cast<int>(shape.blocks),
           state.iterations + 1, tolerance, progress.span().data());
    state = to_host(progress);
  }
  return state;
}

template <class T>
JacobiProgress jacobi(const DenseView<T>& matrix, std::span<const T> diagonal, std::span<const T> b,
                      std::span<T> x, double tolerance, std::int64_t limit, JacobiKernel kernel) {
  const T* const a = matrix.values.data();
  if (kernel == JacobiKernel::gemv) return jacobi_by_gemv<T>(a, diagonal, b, x, tolerance, limit);
  const auto n = static_cast<std::int64_t>(x.size());
  if (n == 0 || limit == 0) return {};
  const System<T> system{n, diagonal.data(), b.data(), tolerance, limit};
  DeviceArray<JacobiProgress> progress(1);
  if (n <= 1024 ? iterate_resident<T, 512>(system, a, x, progress)
                : iterate_resident<T, 1024>(system, a, x, progress)) {
    return to_host(progress);
  }
  // A warp for two rows.
  if (n % Pack<T>::size == 0 && elements_to_boundary(a) == 0 &&
      elements_to_boundary(x.data()) == 0) {
    return iterate(system, DenseRows<T, true>{a}, 16, x);
  }
  return iterate(system, DenseRows<T, false>{a}, 16, x);
}

template <class T>
JacobiProgress jacobi(const SparseView<T>& a, std::span<const T> diagonal, std::span<const T> b,
                      std::span<T> x, double tolerance, std::int64_t limit, JacobiKernel) {
  const auto n = static_cast<std::int64_t>(x.size());
  if (n == 0 || limit == 0) return {};
  const System<T> system{n, diagonal.data(), b.data(), tolerance, limit};
  const auto with_lanes = [&]<int lanes>(std::integral_constant<int, lanes>) {
    return iterate(
        system,
        SparseRows<T, lanes>{a.row_offsets.data(), a.column_indices.data(), a.values.data()}, lanes,
        x);
  };
  const std::int64_t entries_a_row = static_cast<std::int64_t>(a.values.size()) / n;
  if (entries_a_row <= 3) return with_lanes(std::integral_constant<int, 2>{});
  if (entries_a_row <= 6) return with_lanes(std::integral_constant<int, 4>{});
  if (entries_a_row <= 12) return with_lanes(std::integral_constant<int, 8>{});
  if (entries_a_row <= 24) return with_lanes(std::integral_constant<int, 16>{});
  return with_lanes(std::integral_constant<int, 32>{});
}

/// The result of use() for the matrix on the device.
template <class T, class Use>
JacobiProgress with_sent(const DenseView<T>& a, const Use& use) {
  const DeviceArray<T> values{a.values};
  return use(DenseView<T>{a.rows, a.columns, values.span()});
}
template <class T, class Use>
JacobiProgress with_sent(const SparseView<T>& a, const Use& use) {
  const DeviceArray<std::int64_t> offsets{a.row_offsets};
  const DeviceArray<std::int32_t> columns{a.column_indices};
  const DeviceArray<T> values{a.values};
  return use(SparseView<T>{a.rows, a.columns, offsets.span(), columns.span(), values.span()});
}

template <class T, class Matrix>
JacobiProgress iterate_on_device(const Matrix& a, std::span<const T> diagonal, std::span<const T> b,
                                 std::span<T> x, const JacobiStop& stop, JacobiKernel kernel,
                                 KernelTiming* timing) {
  // The matrix's elements, and 16 bytes for each row: vectors, row offsets.
  require_device_memory(static_cast<std::int64_t>(a.values.size_bytes()) + 16 * a.rows, "Jacobi");
  return with_sent(a, [&](const Matrix& a_there) {
    const DeviceArray<T> diagonal_there{diagonal};
    const DeviceArray<T> b_there{b};
    DeviceArray<T> x_there(static_cast<std::int64_t>(x.size()));
    JacobiProgress progress;
    run_timed(timing, [&] {
      x_there.copy_from(x);
      progress = in_slices(stop, [&](std::int64_t sweeps) {
        return jacobi<T>(a_there, diagonal_there.span(), b_there.span(), x_there.span(),
                         stop.tolerance, sweeps, kernel);
      });
    });
    x_there.copy_to(x);
    return progress;
  });
}

const Registered dense_in_single{DeviceJacobi<float, DenseView<float>>{iterate_on_device}};
const Registered dense_in_double{DeviceJacobi<double, DenseView<double>>{iterate_on_device}};
const Registered sparse_in_single{DeviceJacobi<float, SparseView<float>>{iterate_on_device}};
const Registered sparse_in_double{DeviceJacobi<double, SparseView<double>>{iterate_on_device}};

}  // namespace

}  // namespace bombard::cuda
