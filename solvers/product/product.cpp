#include "solvers/product/product.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "bombard/solve.hpp"
#include "kernels/base/host_memory.hpp"
#include "kernels/base/vector.hpp"
#include "solvers/dense_views.hpp"
#include "solvers/solver_device.hpp"

// The blocked algorithm of Goto and van de Geijn, "Anatomy of high-performance matrix
// multiplication", ACM TOMS 34(3), 2008: a panel of B for the outer cache, a block of A for the
// inner one, both repacked in the order in which the innermost kernel reads them.

namespace bombard::solve {

namespace {

constexpr std::int64_t panel_depth = 256;     ///< rows of B (columns of A) at a time
constexpr std::int64_t panel_columns = 3072;  ///< columns of B at a time
constexpr std::int64_t block_rows = 144;      ///< rows of A at a time at most

constexpr int tile_rows = cpu::vector_bytes == 64 ? 12 : 6;  ///< of two vectors each, in registers

/// The part of C that the innermost kernel holds in registers.
struct Tile {
  std::int64_t rows, columns;
};

/// The innermost kernel: a tile of C, tile_rows x (2 vectors), held in registers while it goes
/// through `depth` columns of A and rows of B, packed. Adds to C.
template <class T>
void add_tile(std::int64_t depth, const T* a, const T* b, T* c, std::int64_t stride) {
  constexpr int lanes = cpu::vector_bytes / static_cast<int>(sizeof(T));
  using Lanes = cpu::Vector<T, cpu::vector_bytes>;
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

/// Adds the product of a packed block of A and a packed panel of B to C, tile by tile; tiles that
/// extend beyond an edge of C are computed outside it.
template <class T>
void add_block(Tile tile, std::int64_t rows, std::int64_t depth, std::int64_t columns, const T* a,
               const T* b, T* c, std::int64_t stride) {
  T beside[12 * 32];
  for (std::int64_t j = 0; j < columns; j += tile.columns) {
    for (std::int64_t i = 0; i < rows; i += tile.rows) {
      T* const tile_c = c + i * stride + j;
      const std::int64_t height = std::min(tile.rows, rows - i);
      const std::int64_t width = std::min(tile.columns, columns - j);
      if (height == tile.rows && width == tile.columns) {
        add_tile(depth, a + i * depth, b + j * depth, tile_c, stride);
        continue;
      }
      std::fill_n(beside, tile.rows * tile.columns, T{0});
      add_tile(depth, a + i * depth, b + j * depth, beside, tile.columns);
      for (std::int64_t row = 0; row < height; ++row) {
        for (std::int64_t column = 0; column < width; ++column) {
          tile_c[row * stride + column] += beside[row * tile.columns + column];
        }
      }
    }
  }
}

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// Adds A B to C. Calls `interrupt` before each panel of B.
template <class T>
void multiply(const DenseView<T>& a, const DenseView<T>& b, std::vector<T>& c,
              const std::function<void()>& interrupt) {
  const std::int64_t rows = a.rows;
  const std::int64_t inner = a.columns;
  const std::int64_t columns = b.columns;
  if (rows == 0 || inner == 0 || columns == 0) return;
  const Tile tile{tile_rows, 2 * cpu::vector_bytes / static_cast<int>(sizeof(T))};
  const bool parallel = rows * inner * columns > 10'000'000;
  // Blocks of equal height, in a number that gives every thread the same number of blocks.
  const std::int64_t threads = parallel ? omp_get_max_threads() : 1;
  const std::int64_t blocks = rounded_up((rows + block_rows - 1) / block_rows, threads);
  const std::int64_t height_of_block = rounded_up((rows + blocks - 1) / blocks, tile.rows);
  std::vector<T> panel(static_cast<std::size_t>(
      std::min(panel_depth, inner) * rounded_up(std::min(panel_columns, columns), tile.columns)));
  for (std::int64_t j = 0; j < columns; j += panel_columns) {
    const std::int64_t width = std::min(panel_columns, columns - j);
    for (std::int64_t k = 0; k < inner; k += panel_depth) {
      const std::int64_t depth = std::min(panel_depth, inner - k);
      if (interrupt) interrupt();
#pragma omp parallel for schedule(static) if (parallel)
      for (std::int64_t part = 0; part < width; part += tile.columns) {
        const std::int64_t here = std::min(tile.columns, width - part);
        for (std::int64_t row = 0; row < depth; ++row) {  // zeros beyond the matrix's edge
          T* const packed = panel.data() + part * depth + row * tile.columns;
          std::fill(std::copy_n(b.values.data() + (k + row) * columns + j + part, here, packed),
                    packed + tile.columns, T{0});
        }
      }
#pragma omp parallel for schedule(dynamic) if (parallel)
      for (std::int64_t i = 0; i < rows; i += height_of_block) {
        const std::int64_t height = std::min(height_of_block, rows - i);
        std::vector<T> block(static_cast<std::size_t>(depth * rounded_up(height, tile.rows)));
        for (std::int64_t row = 0; row < height; ++row) {
          T* const packed = block.data() + row / tile.rows * tile.rows * depth + row % tile.rows;
          const T* const of_a = a.values.data() + (i + row) * inner + k;
          for (std::int64_t column = 0; column < depth; ++column) {
            packed[column * tile.rows] = of_a[column];
          }
        }
        add_block(tile, height, depth, width, block.data(), panel.data(),
                  c.data() + i * columns + j, columns);
      }
    }
  }
}

/// The kernel's name; empty for any.
std::string kernel_of(const ProductSettings& settings) {
  const std::string& name = settings.kernel;
  if (name == "auto") return {};
  if (name != "naive" && name != "tiled" && name != "cublas") {
    throw InputError(fmt::format(
        "kernel \"{}\" does not multiply matrices; there are naive, tiled and cublas", name));
  }
  if (settings.device.kind == Device::cpu) {
    throw InputError(
        "the kernels naive, tiled and cublas run on a GPU; leave kernel or device cpu out");
  }
  return name;
}

}  // namespace

template <class T>
std::vector<T> product(const DenseView<T>& a, const DenseView<T>& b,
                       const ProductSettings& settings) {
  check_view(a);
  check_view(b);
  const std::string kernel = kernel_of(settings);
  Device choice = settings.device;
  if (!kernel.empty()) choice.kind = Device::cuda;
  if (a.columns != b.rows) {
    throw InputError(fmt::format("A is {} x {}, B is {} x {}: A's columns must match B's rows",
                                 a.rows, a.columns, b.rows, b.columns));
  }
  const ProductShape shape{a.rows, a.columns, b.columns};
  require_host_memory(byte_count({shape.rows, shape.columns, sizeof(T)}), "the product");
  std::vector<T> c(static_cast<std::size_t>(shape.rows * shape.columns));
  const double operations = 2.0 * static_cast<double>(c.size()) * static_cast<double>(shape.inner);
  const SolverDevice device(choice, operations / (40e9 * omp_get_max_threads()));
  if (device.is_gpu()) {
    best_implementation<DeviceProduct<T>>(kernel)(shape, a.values, b.values, c, nullptr);
  } else {
    multiply(a, b, c, settings.interrupt);
  }
  return c;
}
template std::vector<float> product<float>(const DenseView<float>&, const DenseView<float>&,
                                           const ProductSettings&);
template std::vector<double> product<double>(const DenseView<double>&, const DenseView<double>&,
                                             const ProductSettings&);

}  // namespace bombard::solve
