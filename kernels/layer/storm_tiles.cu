#include <algorithm>

#include "kernels/device/launch.cuh"
#include "kernels/layer/staged_impact.cuh"
#include "kernels/layer/storm_tiles.hpp"
#include "kernels/layer/sum_in_order.cuh"

namespace bombard::cuda {

namespace {

constexpr int warps = 32;
constexpr int threads = 32 * warps;
/// Impacts that a lane takes one after another, that its warp takes at a time, and that a block
/// stages at a time.
constexpr int run = 16;
constexpr int piece = 32 * run;
constexpr int batch = 4 * piece;
constexpr int staged_each = batch / threads;
constexpr int most_cells = static_cast<int>(CellTile::most_cells);

struct Parameters {
  LayerRule rule;
  const Impact* impacts;
  std::int64_t ends[TileStorms::most];
  std::int64_t layer_cells;
  const CellTile* tiles;
  const float* before;
  float* after;
};

/// A batch in shared memory, in pairs of impacts: lane l of a piece finds impacts 2 i and 2 i + 1
/// of its run in row i, place l, so that neighbouring lanes read different banks.
using Batch = StagedImpact[batch / piece][run / 2][32][2];

/// Impact number i of a batch.
__device__ StagedImpact& at(Batch& staged, unsigned i) {
  return staged[i / piece][i % run / 2][i % piece / run][i % 2];
}

/// The shares of the lane's run in a cell.
__device__ void quick_shares(const Batch& staged, int of_piece, int cell, float (&share)[run]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const auto here = static_cast<float>(cell);
  float energy[run];
  float n[run];
#pragma unroll
  for (int i = 0; i < run; i += 2) {
    const auto two = *reinterpret_cast<const float4*>(staged[of_piece][i / 2][lane]);
    n[i] = fabsf(two.x - here) + 1.0F;
    energy[i] = two.y;
    n[i + 1] = fabsf(two.z - here) + 1.0F;
    energy[i + 1] = two.w;
  }
  exact_shares(energy, n, share);
}

/// The same at any distance, for impacts that lie at these offsets.
template <class Offset>
__device__ void shares(const LayerRule& rule, const Batch& staged, int of_piece, int cell,
                       const Offset& offset, float (&share)[run]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll 1
  for (int i = 0; i < run; ++i) {
    share[i] = rule.share(staged[of_piece][i / 2][lane][i % 2].energy,
                          distance(offset(of_piece * piece + lane * run + i), cell));
  }
}

/// The cells begin .. end-1 of a tile that are known after `storms` storms: each relaxation loses
/// one on each side, except where the layer ends.
struct Known {
  int begin, end;

  __device__ Known(const CellTile& tile, std::int64_t layer_cells, int storms)
      : begin(tile.first == 0 ? 0 : storms),
        end(static_cast<int>(tile.cells) - (tile.first + tile.cells == layer_cells ? 0 : storms)) {}

  __device__ bool holds(int cell) const { return cell >= begin && cell < end; }
};

/// Relaxes the cells of a tile after a storm; values[cell + 1] is the value of a cell. All threads
/// must call it; each relaxes one cell.
__device__ void relax(const Parameters& p, const CellTile& tile, int storm, float* values) {
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t cell = tile.first + thread;
  const Known known(tile, p.layer_cells, storm + 1);
  float value = 0;
  if (known.holds(thread)) {
    value = values[thread + 1];
    const bool at_end = cell == 0 || cell == p.layer_cells - 1;
    if (!at_end) value = (values[thread] + value + values[thread + 2]) / 3.0F;
  }
  __syncthreads();
  if (known.holds(thread)) values[thread + 1] = value;
}

/// The thread's share of a batch of impacts, in registers.
struct Fetched {
  Impact impact[staged_each];

  /// Reads them from the batch that begins with impact number `begin`, as far as they are before
  /// `last`.
  __device__ void fetch(const Impact* impacts, std::int64_t begin, std::int64_t last) {
#pragma unroll
    for (int k = 0; k < staged_each; ++k) {
      const std::int64_t i = begin + threadIdx.x + k * threads;
      if (i < last) impact[k] = impacts[i];
    }
  }
};

/// Writes a batch of `count` impacts to shared memory, followed by impacts of zero energy; returns
/// whether floats hold the distances of all the others exactly. All threads must call it.
__device__ bool stage(const Parameters& p, const CellTile& tile, const Fetched& fetched,
                      std::int64_t count, Batch& staged) {
  bool in_floats = true;
#pragma unroll
  for (int k = 0; k < staged_each; ++k) {
    const unsigned i = threadIdx.x + k * threads;
    const Impact impact = i < count ? fetched.impact[k] : Impact{};
    const std::int64_t offset = impact.position - tile.first;
    in_floats &= impact.energy == 0 || distance_type(offset, most_cells) == as_float;
    // If floats hold its distances, the offset fits into 32 bits.
    at(staged, i) = {static_cast<float>(static_cast<std::int32_t>(offset)),
                     p.rule.energy(impact.energy)};
  }
  return __syncthreads_and(in_floats) != 0;
}

/// Adds a batch, the impacts begin .. end-1, to the cells of the tile that are known. One warp
/// takes each cell: piece by piece it computes the shares and adds them in order.
__device__ void add_batch(const Batch& staged, bool in_floats, const Parameters& p,
                          const CellTile& tile, const Known& known, std::int64_t begin,
                          std::int64_t end, float* values) {
  const int thread = static_cast<int>(threadIdx.x);
  const int pieces = (static_cast<int>(end - begin) + piece - 1) / piece;
  for (int cell = known.begin + thread / 32; cell < known.end; cell += warps) {
    float value = values[cell + 1];
    for (int i = 0; i < pieces; ++i) {
      float share[run];
      if (in_floats) {
        quick_shares(staged, i, cell, share);
      } else {
        const auto offset = [&](int impact) {
          const std::int64_t number = begin + impact;
          return number < end ? p.impacts[number].position - tile.first : 0;
        };
        shares(p.rule, staged, i, cell, offset, share);
      }
      value = sum_in_order(value, share);
    }
    __syncwarp();
    if (thread % 32 == 0) values[cell + 1] = value;
  }
}

/// A block takes a tile, and each warp one or two of its cells. No batch goes on into the next
/// storm: impacts of zero energy fill up the last one, and adding 0 changes nothing. While warps
/// add a batch, the next one is on its way from memory, and warps that have finished stage it.
__global__ void __launch_bounds__(threads, 1) tiles_kernel(const Parameters p) {
  __shared__ alignas(sizeof(float4)) Batch staged[2];
  __shared__ float values[most_cells + 2];  // the value of cell i is at i + 1
  const CellTile tile = p.tiles[blockIdx.x];
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < tile.cells) {
    values[thread + 1] = tile.before >= 0 ? p.before[tile.before + thread] : 0.0F;
  }
  __syncthreads();
  std::int64_t begin = 0;
  int turn = 0;
  const std::int64_t last = p.ends[tile.storms - 1];
  Fetched next{};
  next.fetch(p.impacts, begin, last);
  for (int storm = 0; storm < tile.storms; ++storm) {
    const Known known(tile, p.layer_cells, storm);
    while (begin < p.ends[storm]) {
      const std::int64_t end = min(begin + batch, p.ends[storm]);
      const bool in_floats = stage(p, tile, next, end - begin, staged[turn]);
      next.fetch(p.impacts, end, last);
      add_batch(staged[turn], in_floats, p, tile, known, begin, end, values);
      turn = 1 - turn;
      begin = end;
    }
    __syncthreads();
    relax(p, tile, storm, values);
  }
  if (Known(tile, p.layer_cells, tile.storms).holds(thread)) {
    p.after[tile.after + thread] = values[thread + 1];
  }
}

}  // namespace

void apply_to_tiles(const LayerRule& rule, const TileStorms& storms,
                    std::span<const CellTile> tiles, std::span<const float> before,
                    std::span<float> after) {
  Parameters parameters{.rule = rule,
                        .impacts = storms.impacts.data(),
                        .ends = {},
                        .layer_cells = storms.layer_cells,
                        .tiles = tiles.data(),
                        .before = before.data(),
                        .after = after.data()};
  std::ranges::copy(storms.ends, parameters.ends);
  launch("storm tiles", {static_cast<std::int64_t>(tiles.size()), threads}, tiles_kernel,
         parameters);
}

std::int64_t tiles_at_once() {
  return resident_blocks(tiles_kernel, threads);
}

}  // namespace bombard::cuda
