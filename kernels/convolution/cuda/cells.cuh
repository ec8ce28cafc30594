#pragma once

// The cells of a layer in the form in which kernels work on them.

#include <cstdint>

#include "kernels/convolution/candidates.hpp"
#include "kernels/convolution/cuda/sources.hpp"
#include "kernels/convolution/cuda/tiling.hpp"
#include "kernels/convolution/uncertainty.hpp"

namespace bombard::cuda {

/// A tile's place in the layer. Its cells are counted from its first one.
struct TileInLayer {
  std::int64_t number, first;
  int cells;                   ///< of the tile
  int layer_begin, layer_end;  ///< clamped to just beyond the tile's halo

  __device__ TileInLayer(std::int64_t of_tile, int of_cells, std::int64_t of_layer)
      : number(of_tile),
        first(number * of_cells - first_cell),
        cells(of_cells),
        layer_begin(in_tile(0)),
        layer_end(in_tile(of_layer)) {}

  __device__ int in_tile(std::int64_t cell) const {
    constexpr std::int64_t beyond = 2 * halo;
    return static_cast<int>(min(max(cell - first, -beyond), cells + beyond));
  }
  /// Whether a cell is in the layer, and in the tile or, with a margin, in its halo.
  __device__ bool holds(int i, int margin) const {
    return i >= max(layer_begin, -margin) && i < min(layer_end, cells + margin);
  }
  /// Whether a cell in the tile or its halo is one of the layer's ends.
  __device__ bool at_end(int i) const { return i == layer_begin || i == layer_end - 1; }
};

/// A number for each cell of the layer. Tiles replace those of their own cells; what a tile needs
/// from its neighbours is in copies of their edges, [tile][side][halo], made by the storm before.
template <class Number>
struct InPlace {
  Number* of_cell;
  const Number* edges_before;
  Number* edges_after;
};

/// A layer in device memory, as the kernels take it.
struct LayerArrays {
  std::int64_t count;
  bool fresh;  ///< all values are still 0, and not in memory
  InPlace<double> value;
  InPlace<float> uncertainty;
  StormUncertainty of_storm;
  std::int64_t own_begin, own_end;  ///< cells that may be peaks
  LayerPeak* tile_peaks;
  float* tile_tops;   ///< at least the largest value plus uncertainty of each tile
  unsigned* arrived;  ///< points to 0: see is_last_block()
  Screened* found;
};

}  // namespace bombard::cuda
