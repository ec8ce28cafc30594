#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cuda/atomic>
#include <stdexcept>
#include <string>

#include "kernels/convolution/cuda/cells.cuh"
#include "kernels/convolution/cuda/stored_cells.hpp"
#include "kernels/device/launch.cuh"

namespace bombard::cuda {

namespace {

constexpr std::int64_t edges_of_tile = 2 * halo;

/// Copies the tiles' edges, `count` numbers, from the cells; they are 0 beyond the layer's ends.
__global__ void keep_edges_kernel(const double* of_cell, std::int64_t cells, int tile_cells,
                                  std::int64_t count, double* edges) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const std::int64_t tile = i / edges_of_tile, place = i % edges_of_tile;
  const std::int64_t first = tile * tile_cells - first_cell;
  const std::int64_t cell = first + (place < halo ? place : tile_cells - edges_of_tile + place);
  edges[i] = cell >= 0 && cell < cells ? of_cell[cell] : 0;
}

__global__ void start_uncertainty_kernel(const double* layer, std::int64_t cells, double factor,
                                         float* uncertainty) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < cells) uncertainty[i] = layer == nullptr ? 0.0F : rounded_up(factor * fabs(layer[i]));
}

/// Notes every cell that may be the largest peak: its value + uncertainty reaches the least
/// possible value of the fast layer's peak, and it may be above its neighbours. A block looks at a
/// few tiles and at the cells of those that reach so high, as long as there is room.
constexpr int most_screened_tiles = 8, screen_threads = 128;
__global__ void __launch_bounds__(screen_threads)
    screen_kernel(const double* layer, const float* uncertainty, double factor, double absolute,
                  std::int64_t begin, std::int64_t end, const Tiling tiling, int screened_tiles,
                  const float* tile_tops, Candidate* candidates, std::size_t room,
                  Screened* found) {
  const auto off = [&](std::int64_t cell) {
    return factor * fabs(layer[cell]) + absolute +
           (uncertainty != nullptr ? static_cast<double>(uncertainty[cell]) : 0.0);
  };
  const LayerPeak peak = found->peak;
  const double least = peak.index < 0 ? 0.0 : fmax(0.0, peak.value - off(peak.index));
  if (blockIdx.x == 0 && threadIdx.x == 0) found->least = least;
  const std::int64_t first = std::int64_t{blockIdx.x} * screened_tiles;
  const std::int64_t of_lane = first + threadIdx.x % 32;
  const double top =
      of_lane < min(first + screened_tiles, tiling.tiles) ? double{tile_tops[of_lane]} : -INFINITY;
  const double upper_top = top + factor * fabs(top) + absolute;
  unsigned reaching = __ballot_sync(~0U, upper_top >= least && upper_top > 0);
  const ::cuda::atomic_ref<unsigned long long, ::cuda::thread_scope_device> count(found->count);
  const auto is_full = [&] { return count.load(::cuda::memory_order_relaxed) > room; };
  for (; reaching != 0 && !is_full(); reaching &= reaching - 1) {
    const std::int64_t tile = first + __ffs(static_cast<int>(reaching)) - 1;
    const std::int64_t tile_first = tile * tiling.cells() - first_cell;
    for (std::int64_t cell = max(tile_first, begin) + threadIdx.x;
         cell < min(tile_first + tiling.cells(), end); cell += screen_threads) {
      const double upper = layer[cell] + off(cell);
      if (upper < least || upper <= 0 || upper <= layer[cell - 1] - off(cell - 1) ||
          upper <= layer[cell + 1] - off(cell + 1)) {
        continue;
      }
      const unsigned long long place = count.fetch_add(1, ::cuda::memory_order_relaxed);
      if (place < room) candidates[place] = {cell, upper};
    }
  }
}

template <class Number>
InPlace<Number> in_place(DeviceArray<Number>& of_cell, DeviceArray<Number> (&edges)[2], int turn) {
  return {of_cell.span().data(), edges[turn].span().data(), edges[1 - turn].span().data()};
}

}  // namespace

StoredCells::StoredCells(std::int64_t cells, const Tiling& tiling, const CellRange& own)
    : cells_(cells),
      tiling_(tiling),
      own_{std::max<std::int64_t>(own.begin, 1), std::min(own.end, cells - 1)},
      layer_(cells),
      tile_peaks_(tiling.tiles),
      tile_tops_(tiling.tiles) {
  for (DeviceArray<double>& edges : layer_edges_) {
    edges = DeviceArray<double>(edges_of_tile * tiling.tiles);
  }
  set_bytes(arrived_.span(), 0);
}

std::int64_t StoredCells::bytes(std::int64_t cells, const Tiling& tiling, bool with_uncertainty) {
  const std::int64_t a_number = sizeof(double) + (with_uncertainty ? sizeof(float) : 0);
  const std::int64_t of_tile = 2 * edges_of_tile * a_number + sizeof(LayerPeak) + sizeof(float);
  return cells * a_number + tiling.tiles * of_tile;
}

void StoredCells::clear() {
  fresh_ = true;
  tracked_ = false;
}

void StoredCells::begin_with(std::span<const double> values) {
  if (static_cast<std::int64_t>(values.size()) != cells_) {
    throw std::invalid_argument(std::to_string(values.size()) + " values for a layer of " +
                                std::to_string(cells_) + " cells");
  }
  layer_.copy_from(values);
  fresh_ = tracked_ = false;
  const std::int64_t edges = edges_of_tile * tiling_.tiles;
  launch("keep edges", one_thread_each(edges), keep_edges_kernel, layer_.span().data(), cells_,
         tiling_.cells(), edges, layer_edges_[turn_].span().data());
}

void StoredCells::track_uncertainty(double factor) {
  if (uncertainty_.size() == 0) {
    require_device_memory(bytes(cells_, tiling_, true) - bytes(cells_, tiling_, false),
                          "the uncertainty of every cell");
    uncertainty_ = DeviceArray<float>(cells_);
    for (DeviceArray<float>& edges : uncertainty_edges_) {
      edges = DeviceArray<float>(edges_of_tile * tiling_.tiles);
    }
  }
  tracked_ = true;
  const auto start = [&](const DeviceArray<double>& of, DeviceArray<float>& uncertainty) {
    launch("start uncertainty", one_thread_each(of.size()), start_uncertainty_kernel,
           fresh_ ? nullptr : of.span().data(), of.size(), factor, uncertainty.span().data());
  };
  start(layer_, uncertainty_);
  start(layer_edges_[turn_], uncertainty_edges_[turn_]);
}

LayerArrays StoredCells::for_storm(const StormUncertainty& of_storm, Screened* found) {
  const LayerArrays cells{.count = cells_,
                          .fresh = fresh_,
                          .value = in_place(layer_, layer_edges_, turn_),
                          .uncertainty = in_place(uncertainty_, uncertainty_edges_, turn_),
                          .of_storm = of_storm,
                          .own_begin = own_.begin,
                          .own_end = own_.end,
                          .tile_peaks = tile_peaks_.span().data(),
                          .tile_tops = tile_tops_.span().data(),
                          .arrived = arrived_.span().data(),
                          .found = found};
  turn_ = 1 - turn_;
  fresh_ = false;
  return cells;
}

void StoredCells::screen(double factor, double absolute, std::span<Candidate> candidates,
                         Screened* found) const {
  // In a small layer many tiles reach so high.
  const int screened_tiles = tiling_.tile_chunks == few_chunks ? 1 : most_screened_tiles;
  launch("screen", {(tiling_.tiles + screened_tiles - 1) / screened_tiles, screen_threads},
         screen_kernel, layer_.span().data(), tracked_ ? uncertainty_.span().data() : nullptr,
         factor, absolute, own_.begin, own_.end, tiling_, screened_tiles, tile_tops_.span().data(),
         candidates.data(), candidates.size(), found);
}

void StoredCells::values(std::span<double> values) const {
  if (fresh_) {
    std::ranges::fill(values, 0.0);
  } else {
    layer_.copy_to(values);
  }
}

void StoredCells::uncertainties(std::span<float> uncertainties) const {
  uncertainty_.copy_to(uncertainties);
}

}  // namespace bombard::cuda
