#include <algorithm>
#include <bit>

#include "kernels/exact_share.cuh"
#include "kernels/launch.cuh"
#include "kernels/storm_tiles.hpp"

namespace bombard::cuda {

namespace {

constexpr int adders = static_cast<int>(CellTile::most_cells);
constexpr int producers = 512;
constexpr int threads = adders + producers;
/// Shares in a buffer: of fewer impacts for wider tiles.
constexpr int batch_shares = 4096;
constexpr int shares_each = batch_shares / producers;
constexpr int at_once = 4;

struct Parameters {
  const ScaledImpact* impacts;
  std::int64_t ends[TileStorms::most];
  int storms;
  std::int64_t layer_cells, own_begin, own_end;
  const CellTile* tiles;
  const float* before;
  float* after;
  IndexedValue* maxima;
};

/// Shares of impacts [from, end), impact by impact, 1 << bits cells each.
template <class Law>
__device__ void produce(const Parameters& p, std::int64_t from, std::int64_t end,
                        std::int64_t first_cell, int bits, float* shares) {
  const int mine = static_cast<int>(threadIdx.x) - adders;
  ScaledImpact impact[shares_each];
#pragma unroll
  for (int i = 0; i < shares_each; ++i) {
    const std::int64_t index = from + ((mine + i * producers) >> bits);
    impact[i] = index < end ? p.impacts[index] : ScaledImpact{first_cell, 0.0F};
  }
#pragma unroll
  for (int begin = 0; begin < shares_each; begin += at_once) {
    float energy[at_once];
    float n[at_once];
    float share[at_once];
    std::int64_t lowest = INT64_MAX;
    std::int64_t highest = 0;
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      const int cell = (mine + (begin + i) * producers) & ((1 << bits) - 1);
      const std::int64_t offset = impact[begin + i].position - (first_cell + cell);
      const std::int64_t away = (offset < 0 ? -offset : offset) + 1;
      lowest = min(lowest, away);
      highest = max(highest, away);
      energy[i] = impact[begin + i].energy;
      n[i] = static_cast<float>(away);
    }
    if (ExactShare<Law>::holds(lowest, highest)) {
      ExactShare<Law>::of(energy, n, share);
    } else {
#pragma unroll
      for (int i = 0; i < at_once; ++i) share[i] = energy[i] / Law::divisor(n[i]);
    }
#pragma unroll
    for (int i = 0; i < at_once; ++i) shares[mine + (begin + i) * producers] = share[i];
  }
}

/// The higher of two peaks, of equal ones the first; index -1 is none.
__device__ IndexedValue higher(const IndexedValue& a, const IndexedValue& b) {
  const bool take_b =
      b.index >= 0 && (b.value > a.value || (b.value == a.value && b.index < a.index));
  return take_b ? b : a;
}

/// A block takes a tile. Its first threads add, one a cell; the others compute the shares of the
/// impacts that are added next.
template <class Law>
__global__ void __launch_bounds__(threads) tiles_kernel(const Parameters p) {
  __shared__ float shares[2][batch_shares];
  __shared__ float neighbour[2][adders + 2];
  __shared__ IndexedValue of_warp[adders / 32];
  const CellTile tile = p.tiles[blockIdx.x];
  const auto cells = static_cast<int>(tile.cells);
  const int bits = cells > 32 ? 6 : cells > 16 ? 5 : cells > 8 ? 4 : 3;
  const std::int64_t batch = batch_shares >> bits;
  const int thread = static_cast<int>(threadIdx.x);
  const bool producer = thread >= adders;
  const bool mine = thread < cells;
  const std::int64_t cell = tile.first + thread;
  const bool at_end = cell == 0 || cell == p.layer_cells - 1;

  float value = mine && tile.before >= 0 ? p.before[tile.before + thread] : 0.0F;
  std::int64_t begin = 0;
  for (int storm = 0; storm < p.storms; ++storm) {
    const std::int64_t end = p.ends[storm];
    if (producer) produce<Law>(p, begin, end, tile.first, bits, shares[0]);
    __syncthreads();
    int turn = 0;
    for (std::int64_t from = begin; from < end; from += batch, turn ^= 1) {
      if (producer) {
        if (from + batch < end) {
          produce<Law>(p, from + batch, end, tile.first, bits, shares[turn ^ 1]);
        }
      } else if (thread < 1 << bits) {
        const float* share = shares[turn] + thread;
        const auto count = static_cast<int>(min(end - from, batch));
#pragma unroll 16
        for (int i = 0; i < count; ++i) value += share[i << bits];
      }
      __syncthreads();
    }
    begin = end;

    // Known are the cells from `low` to `high`; relaxation takes one on either side.
    const int low = tile.first == 0 ? 0 : storm + 1;
    const int high = tile.first + cells == p.layer_cells ? cells - 1 : cells - 2 - storm;
    if (mine) neighbour[0][thread + 1] = value;
    __syncthreads();
    if (mine && thread >= low && thread <= high) {
      if (!at_end) {
        value = (neighbour[0][thread] + neighbour[0][thread + 1] + neighbour[0][thread + 2]) / 3.0F;
      }
      neighbour[1][thread + 1] = value;
    }
    __syncthreads();
    IndexedValue peak{0.0F, -1};
    if (mine && thread > low && thread < high && cell >= p.own_begin && cell < p.own_end &&
        value > 0 && value > neighbour[1][thread] && value > neighbour[1][thread + 2]) {
      peak = {value, cell};
    }
    if (!producer) {
#pragma unroll
      for (int lanes = 16; lanes > 0; lanes /= 2) {
        peak = higher(peak, {__shfl_down_sync(~0U, peak.value, lanes),
                             __shfl_down_sync(~0U, peak.index, lanes)});
      }
      if (thread % 32 == 0) of_warp[thread / 32] = peak;
    }
    __syncthreads();
    if (thread == 0) {
      p.maxima[std::int64_t{storm} * gridDim.x + blockIdx.x] = higher(of_warp[0], of_warp[1]);
    }
  }
  const int low = tile.first == 0 ? 0 : p.storms;
  const int high = tile.first + cells == p.layer_cells ? cells - 1 : cells - 1 - p.storms;
  if (mine && thread >= low && thread <= high) p.after[tile.after + thread] = value;
}

__global__ void scale_kernel(const Deposit* deposits, std::int64_t count, std::int64_t first,
                             std::int64_t cells, ScaledImpact* impacts) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const Deposit deposit = deposits[i];
  impacts[i] = {deposit.position + first, scaled_energy(deposit.energy, cells)};
}

}  // namespace

template <class Law>
void apply_to_tiles(const TileStorms& storms, std::span<const CellTile> tiles,
                    std::span<const float> before, std::span<float> after,
                    std::span<IndexedValue> maxima) {
  Parameters parameters{.impacts = storms.impacts.data(),
                        .ends = {},
                        .storms = static_cast<int>(storms.ends.size()),
                        .layer_cells = storms.layer_cells,
                        .own_begin = storms.own_begin,
                        .own_end = storms.own_end,
                        .tiles = tiles.data(),
                        .before = before.data(),
                        .after = after.data(),
                        .maxima = maxima.data()};
  std::ranges::copy(storms.ends, parameters.ends);
  launch("storm tiles", {static_cast<std::int64_t>(tiles.size()), threads}, tiles_kernel<Law>,
         parameters);
}

void scale_deposits(std::span<const Deposit> deposits, std::int64_t first, std::int64_t cells,
                    std::span<ScaledImpact> impacts) {
  const auto count = static_cast<std::int64_t>(deposits.size());
  launch("scale deposits", one_thread_each(count), scale_kernel, deposits.data(), count, first,
         cells, impacts.data());
}

template void apply_to_tiles<SquareRootLaw>(const TileStorms&, std::span<const CellTile>,
                                            std::span<const float>, std::span<float>,
                                            std::span<IndexedValue>);

}  // namespace bombard::cuda
