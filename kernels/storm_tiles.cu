#include <algorithm>
#include <cmath>

#include "kernels/exact_share.cuh"
#include "kernels/higher_peak.cuh"
#include "kernels/launch.cuh"
#include "kernels/storm_tiles.hpp"

namespace bombard::cuda {

namespace {

// A block's warps take turns with the four schedulers of a multiprocessor (warp number modulo 4).
// The first has the adders, whose chain of additions must not wait for the others, and beside them
// those that stage impacts, who have little to do; the other three have the producers of shares.
constexpr int schedulers = 4;
constexpr int warps_a_scheduler = 4;
constexpr int threads = schedulers * warps_a_scheduler * 32;
constexpr int adders = static_cast<int>(CellTile::most_cells);
constexpr int stagers = warps_a_scheduler * 32 - adders;
constexpr int producers = threads - adders - stagers;
constexpr int at_once = 4;
/// Shares in a batch, four side by side: of fewer impacts for wider tiles.
constexpr int batch_quads = 4 * producers;
constexpr int fewest_cells = 16;
constexpr int most_impacts = batch_quads * at_once / fewest_cells;

struct Parameters {
  const Deposit* deposits;
  std::int64_t origin;
  std::int64_t ends[TileStorms::most];
  int storms;
  std::int64_t layer_cells, farthest, own_begin, own_end;
  const CellTile* tiles;
  const float* before;
  float* after;
  IndexedValue* maxima;
};

/// An impact as the cells of a tile meet it: `offset` from the tile's first cell, where that is an
/// exact float.
struct StagedImpact {
  float offset, energy;
};

/// Batches on their way, two of each kind: impacts, and shares. Less than the 64 KiB that every
/// device allows a block.
struct Batches {
  StagedImpact impact[2][most_impacts];
  std::int64_t offset[2][most_impacts];
  float4 share[2][batch_quads];
};

static_assert(sizeof(Batches) <= 60 << 10);

/// Whether such distances are exact floats and ExactShare holds for all of them.
template <class Law>
__device__ bool quick(std::int64_t lowest, std::int64_t highest) {
  constexpr std::int64_t exact = (1 << 24) - 2 * CellTile::most_cells;
  return highest < exact && ExactShare<Law>::holds(lowest, highest);
}

/// Stages an impact; returns whether its distances are quick().
template <class Law>
__device__ bool stage(const Parameters& p, const CellTile& tile, const Deposit& deposit,
                      StagedImpact& impact, std::int64_t& offset) {
  offset = deposit.position + p.origin - tile.first;
  impact = {static_cast<float>(offset), scaled_energy(deposit.energy, p.layer_cells)};
  return quick<Law>(offset < 0 ? 1 - offset : max(offset - CellTile::most_cells, std::int64_t{1}),
                    (offset < 0 ? -offset : offset) + CellTile::most_cells + 1);
}

/// The same where all impacts are known to be quick, or without energy.
__device__ StagedImpact staged(const Parameters& p, const CellTile& tile, const Deposit& deposit) {
  const auto offset = static_cast<std::int32_t>(deposit.position + p.origin - tile.first);
  return {static_cast<float>(offset), scaled_energy(deposit.energy, p.layer_cells)};
}

/// The shares of two times four impacts in one cell.
template <class Law>
__device__ void quick_shares(const StagedImpact* impacts, const StagedImpact* others, float cell,
                             float4 (&shares)[2]) {
  float energy[2 * at_once];
  float n[2 * at_once];
#pragma unroll
  for (int i = 0; i < 2 * at_once; i += 2) {
    const auto* const four = reinterpret_cast<const float4*>(i < at_once ? impacts : others);
    const float4 two = four[i % at_once / 2];
    energy[i] = two.y;
    energy[i + 1] = two.w;
    n[i] = fabsf(two.x - cell) + 1.0F;
    n[i + 1] = fabsf(two.z - cell) + 1.0F;
  }
  float share[2 * at_once];
  ExactShare<Law>::of(energy, n, share);
  shares[0] = {share[0], share[1], share[2], share[3]};
  shares[1] = {share[4], share[5], share[6], share[7]};
}

/// The shares of four impacts in one cell, at any distance.
template <class Law>
__device__ float4 shares(const StagedImpact* impacts, const std::int64_t* offsets, int cell) {
  float share[at_once];
#pragma unroll
  for (int i = 0; i < at_once; ++i) {
    share[i] = impacts[i].energy / Law::divisor(distance(offsets[i], cell));
  }
  return {share[0], share[1], share[2], share[3]};
}

/// Adds the shares of `quads` times four impacts to a cell, in order. `shares` is the cell's first,
/// its next ones stand `stride` behind. Several are loaded at once, for the additions wait for one
/// another and should not wait for each load, too; a whole batch in one go. Impacts without energy
/// fill the last one: adding 0 changes nothing.
template <int stride>
__device__ float added(float value, const float4* shares, int quads) {
  const auto add = [&](const float4& four) { value = value + four.x + four.y + four.z + four.w; };
  constexpr int all = batch_quads / stride;
  if (quads == all) {
#pragma unroll
    for (int i = 0; i < all; ++i) add(shares[i * stride]);
    return value;
  }
  constexpr int loads = 8;
  static_assert(all % loads == 0);
  for (int quad = 0; quad < quads; quad += loads) {
    float4 four[loads];
#pragma unroll
    for (int i = 0; i < loads; ++i) four[i] = shares[(quad + i) * stride];
#pragma unroll
    for (int i = 0; i < loads; ++i) add(four[i]);
  }
  return value;
}

/// A block takes a tile. Its adders add, one a cell, batch b; the producers meanwhile compute the
/// shares of batch b + 1, and the stagers stage the impacts of b + 2 and ask for the deposits of
/// b + 3. Batches are laid out for `stride` cells.
template <class Law, int stride>
__global__ void __launch_bounds__(threads, 2) tiles_kernel(const Parameters p) {
  extern __shared__ Batches batches[];
  __shared__ float neighbour[2][adders + 2];
  __shared__ IndexedValue of_warp[adders / 32];
  Batches& on_way = *batches;
  const CellTile tile = p.tiles[blockIdx.x];
  const auto cells = static_cast<int>(tile.cells);
  constexpr int batch = batch_quads * at_once / stride;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int turn = warp / schedulers * 32 + lane;  // among the threads of its scheduler
  const bool producer = warp % schedulers != 0;
  const bool stager = !producer && turn >= adders;
  const bool adder = !producer && !stager;
  const int thread = turn;                 // of an adder: its cell
  const int first_staged = turn - adders;  // of a stager
  const int worker = (warp % schedulers - 1) * warps_a_scheduler * 32 + turn;  // of a producer
  const bool mine = adder && thread < cells;
  const std::int64_t cell = tile.first + thread;
  const bool at_end = cell == 0 || cell == p.layer_cells - 1;

  constexpr int staged_each = (batch + stagers - 1) / stagers;
  const bool always_quick = quick<Law>(1, p.farthest + CellTile::most_cells + 1);

  float value = mine && tile.before >= 0 ? p.before[tile.before + thread] : 0.0F;
  std::int64_t begin = 0;
  for (int storm = 0; storm < p.storms; ++storm) {
    const std::int64_t end = p.ends[storm];
    const auto impacts = static_cast<int>(end - begin);
    const int count = (impacts + batch - 1) / batch;
    // Asks for the deposits of a batch; those from the storm's end on are without energy.
    struct Asked {
      Deposit deposit[staged_each];
    };
    const auto ask = [&](int b) {
      Asked asked;
#pragma unroll
      for (int k = 0; k < staged_each; ++k) {
        const int i = b * batch + first_staged + k * stagers;
        asked.deposit[k] = i < impacts ? p.deposits[begin + i] : Deposit{};
      }
      return asked;
    };
    // Whether all impacts staged are quick is known behind the barrier.
    const auto prepare = [&](int b, const Asked& asked) {
      bool all_quick = true;
#pragma unroll
      for (int k = 0; k < staged_each; ++k) {
        const int i = first_staged + k * stagers;
        if (i >= batch) continue;
        if (always_quick) {
          on_way.impact[b % 2][i] = staged(p, tile, asked.deposit[k]);
        } else {
          all_quick &= stage<Law>(p, tile, asked.deposit[k], on_way.impact[b % 2][i],
                                  on_way.offset[b % 2][i]);
        }
      }
      return all_quick;
    };
    const auto produce = [&](int b, bool are_quick) {
      const StagedImpact* const impacts = on_way.impact[b % 2];
      float4* const to = on_way.share[b % 2];
      constexpr int each = batch_quads / producers;
      static_assert(producers % stride == 0 && each % 2 == 0);
      const int in_tile = worker % stride;
      const int first = worker / stride * at_once;
      constexpr int step = producers / stride * at_once;
      if (are_quick) {
        const auto here = static_cast<float>(in_tile);
#pragma unroll
        for (int i = 0; i < each; i += 2) {
          const StagedImpact* const four = impacts + first + i * step;
          float4 eight[2];
          quick_shares<Law>(four, four + step, here, eight);
          to[worker + i * producers] = eight[0];
          to[worker + (i + 1) * producers] = eight[1];
        }
      } else {
        for (int i = 0; i < each; ++i) {
          to[worker + i * producers] = shares<Law>(
              impacts + first + i * step, on_way.offset[b % 2] + first + i * step, in_tile);
        }
      }
    };
    bool are_quick = true;
    Asked asked;
    if (stager) {
      const Asked first = ask(0);
      asked = ask(1);
      are_quick = prepare(0, first);
    }
    are_quick = __syncthreads_and(are_quick);
    bool next_quick = true;
    if (stager) {
      next_quick = prepare(1, asked);
      asked = ask(2);
    } else if (producer && count > 0) {
      produce(0, are_quick);
    }
    are_quick = __syncthreads_and(next_quick);
    for (int b = 0; b < count; ++b) {
      if (stager) {
        next_quick = prepare(b + 2, asked);
        asked = ask(b + 3);
      } else if (producer) {
        if (b + 1 < count) produce(b + 1, are_quick);
      } else if (thread < stride) {
        const int left = min(impacts - b * batch, batch);
        value = added<stride>(value, on_way.share[b % 2] + thread, (left + at_once - 1) / at_once);
      }
      are_quick = __syncthreads_and(next_quick);
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
    if (adder) {
#pragma unroll
      for (int lanes = 16; lanes > 0; lanes /= 2) {
        peak = higher(peak, {__shfl_down_sync(~0U, peak.value, lanes),
                             __shfl_down_sync(~0U, peak.index, lanes)});
      }
      if (thread % 32 == 0) of_warp[thread / 32] = peak;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
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
                        .farthest = storms.farthest,
                        .own_begin = storms.own_begin,
                        .own_end = storms.own_end,
                        .tiles = tiles.data(),
                        .before = before.data(),
                        .after = after.data(),
                        .maxima = maxima.data()};
  std::ranges::copy(storms.ends, parameters.ends);
  const auto kernel = storms.tile_cells > 32   ? tiles_kernel<Law, 64>
                      : storms.tile_cells > 16 ? tiles_kernel<Law, 32>
                                               : tiles_kernel<Law, 16>;
  allow_shared_memory(kernel);
  launch("storm tiles", {static_cast<std::int64_t>(tiles.size()), threads, sizeof(Batches)}, kernel,
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
