#include "solvers/product/multiply.hpp"

#include <omp.h>

#include <algorithm>
#include <exception>
#include <vector>

#include "kernels/base/vector.hpp"

// The blocked algorithm of Goto and van de Geijn, "Anatomy of high-performance matrix
// multiplication", ACM TOMS 34(3), 2008: a panel of B for the outer cache, a block of A for the
// inner one, both repacked in the order in which the innermost kernel reads them.

namespace bombard::cpu {

namespace {

constexpr std::int64_t panel_depth = 256;     ///< rows of B (columns of A) at a time
constexpr std::int64_t panel_columns = 3072;  ///< columns of B at a time
constexpr std::int64_t block_rows = 144;      ///< rows of A at a time at most

/// The innermost kernel: a tile of C, tile_rows x (2 vectors), held in registers while `depth`
/// columns of A and rows of B, packed, pass. Adds to C.
template <class T, int bytes, int tile_rows>
[[gnu::always_inline]] inline void add_tile(std::int64_t depth, const T* a, const T* b, T* c,
                                            std::int64_t stride) {
  constexpr int lanes = bytes / static_cast<int>(sizeof(T));
  using Lanes = Vector<T, bytes>;
  Lanes sum[tile_rows][2] = {};
  for (std::int64_t k = 0; k < depth; ++k) {
    const auto b0 = *reinterpret_cast<const Lanes*>(b);
    const auto b1 = *reinterpret_cast<const Lanes*>(b + lanes);
#pragma GCC unroll 12
    for (int i = 0; i < tile_rows; ++i) {
      sum[i][0] += a[i] * b0;
      sum[i][1] += a[i] * b1;
    }
    a += tile_rows;
    b += 2 * lanes;
  }
#pragma GCC unroll 12
  for (int i = 0; i < tile_rows; ++i) {
    auto* row = reinterpret_cast<Lanes*>(c + i * stride);
    auto* behind = reinterpret_cast<Lanes*>(c + i * stride + lanes);
    *row += sum[i][0];
    *behind += sum[i][1];
  }
}

template <class T>
BOMBARD_AVX512 void add_tile_avx512(std::int64_t depth, const T* a, const T* b, T* c,
                                    std::int64_t stride) {
  add_tile<T, 64, 12>(depth, a, b, c, stride);
}
template <class T>
BOMBARD_AVX2 void add_tile_avx2(std::int64_t depth, const T* a, const T* b, T* c,
                                std::int64_t stride) {
  add_tile<T, 32, 6>(depth, a, b, c, stride);
}
template <class T>
void add_tile_baseline(std::int64_t depth, const T* a, const T* b, T* c, std::int64_t stride) {
  add_tile<T, 16, 6>(depth, a, b, c, stride);
}

template <class T>
struct TileKernel {
  int rows, columns;  ///< of its tile
  void (*add)(std::int64_t depth, const T* a, const T* b, T* c, std::int64_t stride);
};

template <class T>
TileKernel<T> tile_kernel() {
  constexpr int size = sizeof(T);
  return widest(TileKernel<T>{12, 128 / size, add_tile_avx512<T>},
                TileKernel<T>{6, 64 / size, add_tile_avx2<T>},
                TileKernel<T>{6, 32 / size, add_tile_baseline<T>});
}

/// Columns first .. first + width of `depth` rows of B, a row after the other, zeros behind the
/// matrix's edge.
template <class T>
void pack_b(const T* b, std::int64_t stride, std::int64_t depth, std::int64_t width, int columns,
            T* packed) {
  const std::int64_t here = std::min<std::int64_t>(width, columns);
  for (std::int64_t k = 0; k < depth; ++k) {
    T* const row = packed + k * columns;
    std::fill(std::copy_n(b + k * stride, here, row), row + columns, T{0});
  }
}

/// Rows of A, column by column, zeros behind the matrix's edge.
template <class T>
void pack_a(const T* a, std::int64_t stride, std::int64_t depth, std::int64_t height, int rows,
            T* packed) {
  for (int i = 0; i < rows; ++i) {
    for (std::int64_t k = 0; k < depth; ++k) {
      packed[k * rows + i] = i < height ? a[i * stride + k] : T{0};
    }
  }
}

/// Adds the product of a packed block of A and a packed panel of B to C, tile by tile; tiles that
/// stand over an edge of C are made beside it.
template <class T>
void add_block(const TileKernel<T>& kernel, std::int64_t rows, std::int64_t depth,
               std::int64_t columns, const T* a, const T* b, T* c, std::int64_t stride) {
  T beside[12 * 32];
  for (std::int64_t j = 0; j < columns; j += kernel.columns) {
    for (std::int64_t i = 0; i < rows; i += kernel.rows) {
      const T* tile_a = a + i * depth;
      const T* tile_b = b + j * depth;
      T* tile_c = c + i * stride + j;
      const std::int64_t height = std::min<std::int64_t>(kernel.rows, rows - i);
      const std::int64_t width = std::min<std::int64_t>(kernel.columns, columns - j);
      if (height == kernel.rows && width == kernel.columns) {
        kernel.add(depth, tile_a, tile_b, tile_c, stride);
        continue;
      }
      std::fill_n(beside, kernel.rows * kernel.columns, T{0});
      kernel.add(depth, tile_a, tile_b, beside, kernel.columns);
      for (std::int64_t row = 0; row < height; ++row) {
        for (std::int64_t column = 0; column < width; ++column) {
          tile_c[row * stride + column] += beside[row * kernel.columns + column];
        }
      }
    }
  }
}

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

template <class T>
void product(ProductShape shape, std::span<const T> a, std::span<const T> b, std::span<T> c,
             const std::function<void()>& interrupt) {
  std::ranges::fill(c, T{0});
  // One by one: Clang 14 takes no structured bindings into an OpenMP region.
  const std::int64_t rows = shape.rows;
  const std::int64_t inner = shape.inner;
  const std::int64_t columns = shape.columns;
  if (rows == 0 || inner == 0 || columns == 0) return;
  const TileKernel<T> kernel = tile_kernel<T>();
  std::vector<T> panel(static_cast<std::size_t>(
      std::min(panel_depth, inner) * rounded_up(std::min(panel_columns, columns), kernel.columns)));
  std::exception_ptr thrown;  // no exception may leave the region
#pragma omp parallel if (rows * inner * columns > 10'000'000)
  {
    // Blocks of equal height, whose number gives every thread the same number of blocks.
    const std::int64_t threads = omp_get_num_threads();
    const std::int64_t blocks = rounded_up((rows + block_rows - 1) / block_rows, threads);
    const std::int64_t height_of_block = rounded_up((rows + blocks - 1) / blocks, kernel.rows);
    std::vector<T> block(static_cast<std::size_t>(std::min(panel_depth, inner) * height_of_block));
    for (std::int64_t j = 0; j < columns && !thrown; j += panel_columns) {
      const std::int64_t width = std::min(panel_columns, columns - j);
      for (std::int64_t k = 0; k < inner && !thrown; k += panel_depth) {
        const std::int64_t depth = std::min(panel_depth, inner - k);
#pragma omp for schedule(static)
        for (std::int64_t part = 0; part < width; part += kernel.columns) {
          pack_b(b.data() + k * columns + j + part, columns, depth, width - part, kernel.columns,
                 panel.data() + part * depth);
        }
#pragma omp for schedule(dynamic)
        for (std::int64_t i = 0; i < rows; i += height_of_block) {
          const std::int64_t height = std::min(height_of_block, rows - i);
          for (std::int64_t part = 0; part < height; part += kernel.rows) {
            pack_a(a.data() + (i + part) * inner + k, inner, depth, height - part, kernel.rows,
                   block.data() + part * depth);
          }
          add_block(kernel, height, depth, width, block.data(), panel.data(),
                    c.data() + i * columns + j, columns);
        }
        if (!interrupt) continue;
#pragma omp master
        try {
          interrupt();
        } catch (...) {
          thrown = std::current_exception();
        }
#pragma omp barrier
      }
    }
  }
  if (thrown) std::rethrow_exception(thrown);
}
template void product<float>(ProductShape, std::span<const float>, std::span<const float>,
                             std::span<float>, const std::function<void()>&);
template void product<double>(ProductShape, std::span<const double>, std::span<const double>,
                              std::span<double>, const std::function<void()>&);

}  // namespace bombard::cpu
