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
  const Deposit* deposits;
  std::int64_t origin;
  std::int64_t ends[TileStorms::most];
  int storms;
  std::int64_t layer_cells, own_begin, own_end;
  const CellTile* tiles;
  const float* before;
  float* after;
  IndexedValue* maxima;
};

/// An impact as a tile meets it: `quick` where all its distances are 32-bit integers for which
/// ExactShare holds.
struct alignas(16) StagedImpact {
  std::int64_t offset;  ///< from the tile's first cell
  float energy;
  bool quick;
};

template <class Law>
__device__ StagedImpact staged(const Parameters& p, const Deposit& deposit, const CellTile& tile) {
  const std::int64_t offset = deposit.position + p.origin - tile.first;
  const std::int64_t lowest =
      offset < 0 ? 1 - offset : max(offset - tile.cells + 2, std::int64_t{1});
  const std::int64_t highest =
      (offset < 0 ? tile.cells - offset : offset + 1) + CellTile::most_cells;
  return {offset, scaled_energy(deposit.energy, p.layer_cells),
          highest < (1 << 30) && ExactShare<Law>::holds(lowest, highest)};
}

/// The shares of a buffer: those of four impacts in one cell side by side, for 1 << bits cells,
/// then those of the next four.
template <class Law>
__device__ void produce(const StagedImpact* impacts, int bits, float4* shares) {
#pragma unroll
  for (int round = 0; round < shares_each / at_once; ++round) {
    const int item = static_cast<int>(threadIdx.x) - adders + round * producers;
    const int cell = item & ((1 << bits) - 1);
    const StagedImpact* const four = impacts + (item >> bits) * at_once;
    float energy[at_once];
    float n[at_once];
    float share[at_once];
    bool quick = true;
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      const StagedImpact impact = four[i];
      quick = quick && impact.quick;
      energy[i] = impact.energy;
      n[i] = static_cast<float>(abs(static_cast<int>(impact.offset) - cell) + 1);
    }
    if (quick) {
      ExactShare<Law>::of(energy, n, share);
    } else {
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        share[i] = energy[i] / Law::divisor(distance(four[i].offset, cell));
      }
    }
    shares[item] = {share[0], share[1], share[2], share[3]};
  }
}

/// Adds the shares of `quads` times four impacts to a cell, in order; those to come are loaded
/// meanwhile. `shares` is the cell's first, its next ones stand `stride` behind. Impacts without
/// energy fill the last quad: adding 0 changes nothing.
__device__ float added(float value, const float4* shares, int stride, int quads) {
  constexpr int ahead = 4;
  float4 next[ahead];
#pragma unroll
  for (int i = 0; i < ahead; ++i) next[i] = shares[i * stride];
  for (int quad = 0; quad < quads; quad += ahead) {
    float4 now[ahead];
#pragma unroll
    for (int i = 0; i < ahead; ++i) now[i] = next[i];
    shares += ahead * stride;
    if (quad + ahead < quads) {
#pragma unroll
      for (int i = 0; i < ahead; ++i) next[i] = shares[i * stride];
    }
#pragma unroll
    for (int i = 0; i < ahead; ++i) value = value + now[i].x + now[i].y + now[i].z + now[i].w;
  }
  return value;
}

/// The higher of two peaks, of equal ones the first; index -1 is none.
__device__ IndexedValue higher(const IndexedValue& a, const IndexedValue& b) {
  const bool take_b =
      b.index >= 0 && (b.value > a.value || (b.value == a.value && b.index < a.index));
  return take_b ? b : a;
}

/// A block takes a tile. Its first threads add, one a cell; the others compute the shares of the
/// impacts that are added next, and fetch those after them.
template <class Law>
__global__ void __launch_bounds__(threads) tiles_kernel(const Parameters p) {
  __shared__ float4 shares[2][batch_shares / at_once];
  __shared__ StagedImpact impacts[2][batch_shares / 16];
  __shared__ float neighbour[2][adders + 2];
  __shared__ IndexedValue of_warp[adders / 32];
  const CellTile tile = p.tiles[blockIdx.x];
  const auto cells = static_cast<int>(tile.cells);
  const int bits = cells > 32 ? 6 : cells > 16 ? 5 : 4;
  const int batch = batch_shares >> bits;
  const int thread = static_cast<int>(threadIdx.x);
  const bool producer = thread >= adders;
  const bool mine = thread < cells;
  const std::int64_t cell = tile.first + thread;
  const bool at_end = cell == 0 || cell == p.layer_cells - 1;

  float value = mine && tile.before >= 0 ? p.before[tile.before + thread] : 0.0F;
  std::int64_t begin = 0;
  for (int storm = 0; storm < p.storms; ++storm) {
    const std::int64_t end = p.ends[storm];
    const auto fetch = [&](std::int64_t from) {
      const std::int64_t i = from + (thread - adders);
      return producer && thread - adders < batch && i < end ? p.deposits[i] : Deposit{};
    };
    const auto stage = [&](const Deposit& deposit, int turn) {
      if (producer && thread - adders < batch) {
        impacts[turn][thread - adders] = staged<Law>(p, deposit, tile);
      }
    };
    stage(fetch(begin), 0);
    Deposit next = fetch(begin + batch);
    __syncthreads();
    if (producer) produce<Law>(impacts[0], bits, shares[0]);
    stage(next, 1);
    __syncthreads();
    int turn = 0;
    for (std::int64_t from = begin; from < end; from += batch, turn ^= 1) {
      if (producer) {
        next = fetch(from + 2 * batch);
        if (from + batch < end) produce<Law>(impacts[turn ^ 1], bits, shares[turn ^ 1]);
        stage(next, turn);
      } else if (thread < 1 << bits) {
        const auto count = static_cast<int>(min(end - from, std::int64_t{batch}));
        const int quads = (count + at_once - 1) / at_once;
        value = added(value, shares[turn] + thread, 1 << bits, quads);
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
  Parameters parameters{.deposits = storms.deposits.data(),
                        .origin = storms.origin,
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
