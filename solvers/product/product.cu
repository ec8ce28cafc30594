#include "kernels/device/device_memory.hpp"
#include "kernels/device/launch.cuh"
#include "kernels/device/vector_load.cuh"
#include "solvers/product/product.hpp"

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

/// A block computes a tile of C of side x side elements, each thread each x each of them, from
/// tiles of A and B in shared memory. A's tiles are stored column by column. A thread's rows and
/// columns come in packs of 16 bytes: a first pack for each thread, then a second one.
template <class T, int side, int each>
__global__ void __launch_bounds__(side* side / (each * each), sizeof(T) == 4 ? 2 : 1)
    tiled_kernel(ProductShape shape, const T* a, const T* b, T* c) {
  constexpr int depth = 64 / static_cast<int>(sizeof(T));
  constexpr int pack = Pack<T>::size;
  constexpr int across = side / each;  ///< threads
  constexpr int threads = across * across;
  __shared__ alignas(16) T tile_a[depth][side + pack];  // the padding spreads the banks
  __shared__ alignas(16) T tile_b[depth][side];
  const std::int64_t tiles_across = (shape.columns + side - 1) / side;
  const std::int64_t first_row = blockIdx.x / tiles_across * side;
  const std::int64_t first_column = blockIdx.x % tiles_across * side;
  const int thread = static_cast<int>(threadIdx.x);
  const auto place = [](int position, int i) {
    return (i / pack * across + position) * pack + i % pack;
  };
  T sum[each][each] = {};
  for (std::int64_t k = 0; k < shape.inner; k += depth) {
#pragma unroll
    for (int turn = 0; turn < side * depth / threads; ++turn) {
      const int i = turn * threads + thread;
      const std::int64_t row = first_row + i / depth;
      const std::int64_t inner_a = k + i % depth;
      const bool in_a = row < shape.rows && inner_a < shape.inner;
      tile_a[i % depth][i / depth] = in_a ? a[row * shape.inner + inner_a] : T{0};
      const std::int64_t inner_b = k + i / side;
      const std::int64_t column = first_column + i % side;
      const bool in_b = inner_b < shape.inner && column < shape.columns;
      tile_b[i / side][i % side] = in_b ? b[inner_b * shape.columns + column] : T{0};
    }
    __syncthreads();
#pragma unroll
    for (int step = 0; step < depth; ++step) {
      Pack<T> of_a[each / pack];
      Pack<T> of_b[each / pack];
#pragma unroll
      for (int i = 0; i < each / pack; ++i) {
        of_a[i] = *reinterpret_cast<Pack<T>*>(&tile_a[step][place(thread / across, i * pack)]);
        of_b[i] = *reinterpret_cast<Pack<T>*>(&tile_b[step][place(thread % across, i * pack)]);
      }
#pragma unroll
      for (int i = 0; i < each; ++i) {
#pragma unroll
        for (int j = 0; j < each; ++j) {
          sum[i][j] =
              fma(of_a[i / pack].element[i % pack], of_b[j / pack].element[j % pack], sum[i][j]);
        }
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < each; ++i) {
    const std::int64_t row = first_row + place(thread / across, i);
#pragma unroll
    for (int j = 0; j < each; ++j) {
      const std::int64_t column = first_column + place(thread % across, j);
      if (row < shape.rows && column < shape.columns) c[row * shape.columns + column] = sum[i][j];
    }
  }
}

std::int64_t tiles(std::int64_t elements, std::int64_t tile) {
  return (elements + tile - 1) / tile;
}

template <class T, int side>
void naive(ProductShape shape, const T* a, const T* b, T* c) {
  const std::int64_t blocks = tiles(shape.rows, side) * tiles(shape.columns, side);
  launch("naive product", {blocks, side * side}, naive_kernel<T>, shape, a, b, c, side);
}

template <class T, int side, int each>
void tiled(ProductShape shape, const T* a, const T* b, T* c) {
  const std::int64_t blocks = tiles(shape.rows, side) * tiles(shape.columns, side);
  launch("tiled product", {blocks, side * side / (each * each)}, tiled_kernel<T, side, each>, shape,
         a, b, c);
}

template <class T, void multiply(ProductShape, const T*, const T*, T*)>
void product_on_device(ProductShape shape, std::span<const T> a, std::span<const T> b,
                       std::span<T> c, double* seconds) {
  require_device_memory(static_cast<std::int64_t>(a.size_bytes() + b.size_bytes() + c.size_bytes()),
                        "the product");
  const DeviceArray<T> a_there{a};
  const DeviceArray<T> b_there{b};
  DeviceArray<T> c_there(static_cast<std::int64_t>(c.size()));
  if (seconds != nullptr) c_there.copy_from(c);  // so that no right value is there by chance
  run_timed(seconds, [&] {
    multiply(shape, a_there.span().data(), b_there.span().data(), c_there.span().data());
  });
  c_there.copy_to(c);
}

template <class T>
std::vector<DeviceProduct<T>> all() {
  std::vector<DeviceProduct<T>> kernels{{"tiled", 128, product_on_device<T, tiled<T, 128, 8>>},
                                        {"tiled", 64, product_on_device<T, tiled<T, 64, 4>>},
                                        {"tiled", 32, product_on_device<T, tiled<T, 32, 4>>},
                                        {"naive", 16, product_on_device<T, naive<T, 16>>},
                                        {"naive", 8, product_on_device<T, naive<T, 8>>},
                                        {"naive", 32, product_on_device<T, naive<T, 32>>}};
  if constexpr (BOMBARD_HAS_CUBLAS) {
    kernels.insert(kernels.begin(), {"cublas", 0, product_on_device<T, cublas_product<T>>});
  }
  return kernels;
}
const Registered in_single{all<float>()};
const Registered in_double{all<double>()};

}  // namespace

}  // namespace bombard::cuda
