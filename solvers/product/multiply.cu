#include <algorithm>

#include "kernels/device/device.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/device/launch.cuh"
#include "kernels/device/vector_load.cuh"
#include "solvers/cublas.hpp"
#include "solvers/product/multiply.hpp"
#include "solvers/timed.hpp"

namespace bombard::cuda {

namespace {

template <class T>
__global__ void naive_kernel(ProductShape shape, const T* a, const T* b, T* c, int side) {
  const std::int64_t across = (shape.columns + side - 1) / side;
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t row = blockIdx.x / across * side + thread / side;
  const std::int64_t column = blockIdx.x % across * side + thread % side;
  if (row >= shape.rows || column >= shape.columns) return;
  T sum = 0;
  for (std::int64_t k = 0; k < shape.inner; ++k) {
    sum = fma(a[row * shape.inner + k], b[k * shape.columns + column], sum);
  }
  c[row * shape.columns + column] = sum;
}

/// A block's tile of C has `rows` x `columns` elements, a thread's part of it rows_each x
/// columns_each; A and B pass by in tiles `depth` deep.
template <class T, int rows_, int columns_, int depth_, int rows_each_, int columns_each_>
struct Tiling {
  static constexpr int rows = rows_;
  static constexpr int columns = columns_;
  static constexpr int depth = depth_;
  static constexpr int rows_each = rows_each_;
  static constexpr int columns_each = columns_each_;
  static constexpr int threads_down = rows / rows_each;
  static constexpr int threads_across = columns / columns_each;
  static constexpr int threads = threads_down * threads_across;
  static constexpr int pack = Pack<T>::size;
  static constexpr int packs_of_a = rows * depth / pack / threads;  ///< a thread fetches
  static constexpr int packs_of_b = columns * depth / pack / threads;
  static constexpr int padding = pack;  ///< between the columns of A's tile: spreads the banks
  static_assert(packs_of_a * threads * pack == rows * depth);
  static_assert(packs_of_b * threads * pack == columns * depth);
};

/// 16 bytes of a row, zeros beyond its matrix. `aligned`: every row starts at a 16-byte boundary
/// and has whole packs.
template <class T, bool aligned>
__device__ Pack<T> fetch(const T* matrix, std::int64_t rows, std::int64_t columns, std::int64_t row,
                         std::int64_t column) {
  Pack<T> pack{};
  if (row >= rows) return pack;
  const T* at = matrix + row * columns + column;
  if constexpr (aligned) {
    if (column < columns) pack = *reinterpret_cast<const Pack<T>*>(at);
  } else {
#pragma unroll
    for (int e = 0; e < Pack<T>::size; ++e) {
      if (column + e < columns) pack.element[e] = at[e];
    }
  }
  return pack;
}

/// Two tiles of A and of B in shared memory: one is multiplied while the next is on its way. A's
/// are stored column by column, so that a thread reads its rows 16 bytes at a time.
template <class T, class Tile>
using TilesOfA = T[2][Tile::depth][Tile::rows + Tile::padding];
template <class T, class Tile>
using TilesOfB = T[2][Tile::depth][Tile::columns];

/// The elements that a thread fetched from the next tiles, on the way from A and B to shared
/// memory.
template <class T, class Tile>
struct FetchedPacks {
  Pack<T> a[Tile::packs_of_a];
  Pack<T> b[Tile::packs_of_b];
};

/// The first element of a block's tile of C.
struct TileOrigin {
  std::int64_t row;
  std::int64_t column;
};

/// Eight rows of tiles at a time, column by column: blocks that run together share A and B in L2.
template <class Tile>
__device__ __forceinline__ TileOrigin tile_of_block(ProductShape shape) {
  constexpr std::int64_t group = 8;
  const std::int64_t down = (shape.rows + Tile::rows - 1) / Tile::rows;
  const std::int64_t across = (shape.columns + Tile::columns - 1) / Tile::columns;
  const std::int64_t group_first = blockIdx.x / (group * across) * group;
  const std::int64_t group_rows = min(group, down - group_first);
  const std::int64_t in_group = blockIdx.x % (group * across);
  return {(group_first + in_group % group_rows) * Tile::rows,
          in_group / group_rows * Tile::columns};
}

/// The place of a thread among threads_down x threads_across. Its rows and columns of the tile come
/// in packs, a pack of each thread after the other.
struct ThreadPosition {
  int down;
  int across;
};

/// A warp is 4 threads down and 8 across, so that it reads few different addresses.
template <class Tile>
__device__ __forceinline__ ThreadPosition position_of_thread() {
  constexpr int warps_across = Tile::threads_across / 8;
  const int thread = static_cast<int>(threadIdx.x);
  const int warp = thread / 32;
  return {warp / warps_across * 4 + thread % 32 / 8, warp % warps_across * 8 + thread % 8};
}

/// A thread fetches its packs of the tiles of A and B that begin at k of the inner dimension.
template <class T, class Tile, bool aligned>
__device__ __forceinline__ void fetch_tiles(ProductShape shape, const T* a, const T* b,
                                            TileOrigin tile, std::int64_t k,
                                            FetchedPacks<T, Tile>& fetched) {
  constexpr int pack = Tile::pack;
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = 0; i < Tile::packs_of_a; ++i) {
    const int index = thread + i * Tile::threads;
    fetched.a[i] =
        fetch<T, aligned>(a, shape.rows, shape.inner, tile.row + index / (Tile::depth / pack),
                          k + index % (Tile::depth / pack) * pack);
  }
#pragma unroll
  for (int i = 0; i < Tile::packs_of_b; ++i) {
    const int index = thread + i * Tile::threads;
    fetched.b[i] =
        fetch<T, aligned>(b, shape.inner, shape.columns, k + index / (Tile::columns / pack),
                          tile.column + index % (Tile::columns / pack) * pack);
  }
}

/// A thread puts what it fetched into one buffer of shared memory, A's packs on end.
template <class T, class Tile>
__device__ __forceinline__ void store_tiles(const FetchedPacks<T, Tile>& fetched,
                                            TilesOfA<T, Tile>& tiles_a, TilesOfB<T, Tile>& tiles_b,
                                            int buffer) {
  constexpr int pack = Tile::pack;
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = 0; i < Tile::packs_of_a; ++i) {
    const int index = thread + i * Tile::threads;
#pragma unroll
    for (int e = 0; e < pack; ++e) {
      tiles_a[buffer][index % (Tile::depth / pack) * pack + e][index / (Tile::depth / pack)] =
          fetched.a[i].element[e];
    }
  }
#pragma unroll
  for (int i = 0; i < Tile::packs_of_b; ++i) {
    const int index = thread + i * Tile::threads;
    *reinterpret_cast<Pack<T>*>(
        &tiles_b[buffer][index / (Tile::columns / pack)][index % (Tile::columns / pack) * pack]) =
        fetched.b[i];
  }
}

/// A thread's part of the tile of C.
template <class T, class Tile>
using Sums = T[Tile::rows_each][Tile::columns_each];

/// Adds the product of one tile of A with one of B, in the order of the inner dimension.
template <class T, class Tile>
__device__ __forceinline__ void add_product(const TilesOfA<T, Tile>& tiles_a,
                                            const TilesOfB<T, Tile>& tiles_b, int buffer,
                                            ThreadPosition position, Sums<T, Tile>& sum) {
  constexpr int pack = Tile::pack;
#pragma unroll
  for (int step = 0; step < Tile::depth; ++step) {
    Pack<T> of_a[Tile::rows_each / pack];
    Pack<T> of_b[Tile::columns_each / pack];
#pragma unroll
    for (int i = 0; i < Tile::rows_each / pack; ++i) {
      of_a[i] = *reinterpret_cast<const Pack<T>*>(
          &tiles_a[buffer][step][(i * Tile::threads_down + position.down) * pack]);
    }
#pragma unroll
    for (int j = 0; j < Tile::columns_each / pack; ++j) {
      of_b[j] = *reinterpret_cast<const Pack<T>*>(
          &tiles_b[buffer][step][(j * Tile::threads_across + position.across) * pack]);
    }
#pragma unroll
    for (int i = 0; i < Tile::rows_each; ++i) {
#pragma unroll
      for (int j = 0; j < Tile::columns_each; ++j) {
        sum[i][j] =
            fma(of_a[i / pack].element[i % pack], of_b[j / pack].element[j % pack], sum[i][j]);
      }
    }
  }
}

/// Writes those of the thread's sums that lie in C.
template <class T, class Tile, bool aligned>
__device__ __forceinline__ void write_sums(ProductShape shape, T* c, TileOrigin tile,
                                           ThreadPosition position, const Sums<T, Tile>& sum) {
  constexpr int pack = Tile::pack;
#pragma unroll
  for (int i = 0; i < Tile::rows_each; ++i) {
    const std::int64_t row =
        tile.row + (i / pack * Tile::threads_down + position.down) * pack + i % pack;
    if (row >= shape.rows) break;
#pragma unroll
    for (int j = 0; j < Tile::columns_each / pack; ++j) {
      const std::int64_t column = tile.column + (j * Tile::threads_across + position.across) * pack;
      T* at = c + row * shape.columns + column;
      if constexpr (aligned) {
        Pack<T> out;
#pragma unroll
        for (int e = 0; e < pack; ++e) out.element[e] = sum[i][j * pack + e];
        if (column < shape.columns) *reinterpret_cast<Pack<T>*>(at) = out;
      } else {
#pragma unroll
        for (int e = 0; e < pack; ++e) {
          if (column + e < shape.columns) at[e] = sum[i][j * pack + e];
        }
      }
    }
  }
}

/// A block computes a tile of C. While its threads multiply the tiles of A and B in one buffer of
/// shared memory, they fetch the next ones, through registers.
template <class T, class Tile, bool aligned>
__global__ void __launch_bounds__(Tile::threads, sizeof(T) == 4 ? 512 / Tile::threads : 1)
    tiled_kernel(ProductShape shape, const T* a, const T* b, T* c) {
  __shared__ alignas(16) TilesOfA<T, Tile> tiles_a;
  __shared__ alignas(16) TilesOfB<T, Tile> tiles_b;
  const TileOrigin tile = tile_of_block<Tile>(shape);
  const ThreadPosition position = position_of_thread<Tile>();
  FetchedPacks<T, Tile> fetched;
  Sums<T, Tile> sum = {};

  fetch_tiles<T, Tile, aligned>(shape, a, b, tile, 0, fetched);
  store_tiles<T, Tile>(fetched, tiles_a, tiles_b, 0);
  __syncthreads();
  int buffer = 0;
  for (std::int64_t k = 0; k < shape.inner; k += Tile::depth) {
    const bool more = k + Tile::depth < shape.inner;
    if (more) fetch_tiles<T, Tile, aligned>(shape, a, b, tile, k + Tile::depth, fetched);
    add_product<T, Tile>(tiles_a, tiles_b, buffer, position, sum);
    // The other buffer was last read before the barrier of the step before.
    buffer ^= 1;
    if (more) store_tiles<T, Tile>(fetched, tiles_a, tiles_b, buffer);
    __syncthreads();
  }
  write_sums<T, Tile, aligned>(shape, c, tile, position, sum);
}

std::int64_t tiles(std::int64_t elements, std::int64_t tile) {
  return (elements + tile - 1) / tile;
}

template <class T, class Tile>
void launch_tiled(ProductShape shape, const T* a, const T* b, T* c) {
  const std::int64_t blocks = tiles(shape.rows, Tile::rows) * tiles(shape.columns, Tile::columns);
  const bool aligned = shape.inner % Tile::pack == 0 && shape.columns % Tile::pack == 0 &&
                       elements_to_boundary(a) == 0 && elements_to_boundary(b) == 0 &&
                       elements_to_boundary(c) == 0;
  launch("tiled product", {blocks, Tile::threads},
         aligned ? tiled_kernel<T, Tile, true> : tiled_kernel<T, Tile, false>, shape, a, b, c);
}

/// The largest tile whose number still occupies all multiprocessors.
int tile_for(ProductShape shape) {
  const int multiprocessors = device_attribute(cudaDevAttrMultiProcessorCount);
  for (const int tile : {128, 64}) {
    if (tiles(shape.rows, tile) * tiles(shape.columns, tile) >= multiprocessors) return tile;
  }
  return 32;
}

template <class T>
void naive_product(ProductShape shape, std::span<const T> a, std::span<const T> b, std::span<T> c,
                   int side) {
  if (side == 0) side = 16;
  const std::int64_t blocks = tiles(shape.rows, side) * tiles(shape.columns, side);
  launch("naive product", {blocks, side * side}, naive_kernel<T>, shape, a.data(), b.data(),
         c.data(), side);
}

template <class T>
void tiled_product(ProductShape shape, std::span<const T> a, std::span<const T> b, std::span<T> c,
                   int tile) {
  constexpr int depth = 64 / static_cast<int>(sizeof(T));
  switch (tile == 0 ? tile_for(shape) : tile) {
    case 32:
      return launch_tiled<T, Tiling<T, 32, 32, depth, 4, 4>>(shape, a.data(), b.data(), c.data());
    case 64:
      return launch_tiled<T, Tiling<T, 64, 64, depth, 4, 4>>(shape, a.data(), b.data(), c.data());
    default:
      return launch_tiled<T, Tiling<T, 128, 128, depth, 8, 8>>(shape, a.data(), b.data(), c.data());
  }
}

template <class T>
void multiply_on_device(ProductShape shape, std::span<const T> a, std::span<const T> b,
                        std::span<T> c, ProductKernel kernel, int block, KernelTiming* timing) {
  if (kernel == ProductKernel::automatic) {
    kernel = has_cublas() ? ProductKernel::cublas : ProductKernel::tiled;
  }
  require_device_memory(static_cast<std::int64_t>(a.size_bytes() + b.size_bytes() + c.size_bytes()),
                        "the product");
  const DeviceArray<T> a_there{a};
  const DeviceArray<T> b_there{b};
  DeviceArray<T> c_there(static_cast<std::int64_t>(c.size()));
  if (timing != nullptr) c_there.copy_from(c);  // so that nothing right is there by chance
  run_timed(timing, [&] {
    if (kernel == ProductKernel::naive) {
      naive_product<T>(shape, a_there.span(), b_there.span(), c_there.span(), block);
    } else if (kernel == ProductKernel::tiled) {
      tiled_product<T>(shape, a_there.span(), b_there.span(), c_there.span(), block);
    } else {
      cublas_gemm(shape.rows, shape.inner, shape.columns, a_there.span().data(),
                  b_there.span().data(), c_there.span().data());
    }
  });
  c_there.copy_to(c);
}

const Registered in_single{DeviceProduct<float>{multiply_on_device}};
const Registered in_double{DeviceProduct<double>{multiply_on_device}};

}  // namespace

}  // namespace bombard::cuda
