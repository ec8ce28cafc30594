#pragma once

// What a layer begins with, and the cells that may be the maximum, given how far off each may be
// (docs/methods.md, The bound).

#include <cmath>
#include <cstdint>

#include "kernels/convolution/cuda/convolved_layer.hpp"
#include "kernels/convolution/cuda/relax.cuh"
#include "kernels/convolution/cuda/shape.cuh"
#include "kernels/device/launch.cuh"

namespace bombard::cuda {

/// The copies of the tiles' edges, `count` numbers, from the cells; 0 beyond the layer's ends.
__global__ void keep_edges_kernel(const double* of_cell, std::int64_t cells, std::int64_t count,
                                  double* edges) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const std::int64_t tile = i / (2 * halo);
  const auto place = static_cast<int>(i % (2 * halo));
  const std::int64_t first = tile * tile_cells - first_cell;
  const std::int64_t cell = first + (place < halo ? place : tile_cells - 2 * halo + place);
  edges[i] = cell >= 0 && cell < cells ? of_cell[cell] : 0;
}

__global__ void start_uncertainty_kernel(const double* layer, std::int64_t cells, double factor,
                                         float* uncertainty) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < cells) uncertainty[i] = layer == nullptr ? 0.0F : rounded_up(factor * fabs(layer[i]));
}

/// Notes every cell that may be the largest peak: value + uncertainty reaches the least possible
/// value of the fast layer's, and the cell may be above its neighbours. A block looks at a few
/// tiles and at the cells of those that reach so far.
constexpr int screened_tiles = 8;
__global__ void __launch_bounds__(tile_threads)
    screen_kernel(const double* layer, const float* uncertainty, double factor, double absolute,
                  std::int64_t begin, std::int64_t end, std::int64_t tiles, const double* tile_tops,
                  Candidate* candidates, std::int64_t room, const Screened* before,
                  Screened* found) {
  follow_previous();
  const auto off = [&](std::int64_t cell) {
    return factor * fabs(layer[cell]) + absolute +
           (uncertainty != nullptr ? static_cast<double>(uncertainty[cell]) : 0.0);
  };
  const LayerPeak peak = found->peak;
  const double least = peak.index < 0 ? 0.0 : fmax(0.0, peak.value - off(peak.index));
  const unsigned long long place = before == nullptr ? 0 : before->place + before->count;
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    found->least = least;
    found->place = place;
  }
  const std::int64_t first = std::int64_t{blockIdx.x} * screened_tiles;
  const std::int64_t of_lane = first + threadIdx.x % 32;
  const double top = of_lane < min(first + screened_tiles, tiles) ? tile_tops[of_lane] : -INFINITY;
  const double upper_top = top + factor * fabs(top) + absolute;
  unsigned reaching = __ballot_sync(~0U, upper_top >= least && upper_top > 0);
  for (; reaching != 0; reaching &= reaching - 1) {
    const std::int64_t tile = first + __ffs(static_cast<int>(reaching)) - 1;
    const std::int64_t tile_first = tile * tile_cells - first_cell;
    for (std::int64_t cell = max(tile_first, begin) + threadIdx.x;
         cell < min(tile_first + tile_cells, end); cell += tile_threads) {
      const double upper = layer[cell] + off(cell);
      if (upper < least || upper <= 0 || upper <= layer[cell - 1] - off(cell - 1) ||
          upper <= layer[cell + 1] - off(cell + 1)) {
        continue;
      }
      const auto mine = static_cast<std::int64_t>(place + atomicAdd(&found->count, 1ULL));
      if (mine < room) candidates[mine] = {cell, upper};
    }
  }
}

}  // namespace bombard::cuda
