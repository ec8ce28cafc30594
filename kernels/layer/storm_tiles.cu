#include <cstdint>
#include <iterator>

#include "kernels/device/launch.cuh"
#include "kernels/layer/staged_impact.cuh"
#include "kernels/layer/storm_tiles.hpp"
#include "kernels/layer/sum_in_order.cuh"

namespace bombard::cuda {

namespace {

constexpr int warps = 8;
constexpr int threads = lanes_of_warp * warps;
/// Impacts that a thread takes one after another, and that a block takes at a time.
constexpr int run = 16;
constexpr int batch = threads * run;
constexpr int most_cells = static_cast<int>(CellTile::most_cells);

struct Parameters {
  LayerRule rule;
  float reciprocal;  ///< of the divisor of energies
  const Impact* impacts;
  std::int64_t count;
  std::int64_t layer_cells;
  const CellTile* tiles;
  int round;
  const float* before;
  float* after;
};

/// A batch in shared memory, in pairs of impacts: a thread finds impacts 2 i and 2 i + 1 of its run
/// in row i, at its place, so that neighbouring threads read different banks. With one more place,
/// impacts that follow each other are written to different banks, too.
using Batch = StagedImpact[run / 2][threads + 1][2];

/// Impact number i of a batch.
__device__ StagedImpact& at(Batch& staged, unsigned i) {
  return staged[(i % run) / 2][i / run][i % 2];
}

/// The shares of the thread's run in a cell.
__device__ void quick_shares(const Batch& staged, int cell, float (&share)[run]) {
  const auto here = static_cast<float>(cell);
  float energy[run];
  float n[run];
#pragma unroll
  for (int i = 0; i < run; i += 2) {
    const auto two = *reinterpret_cast<const float4*>(staged[i / 2][threadIdx.x]);
    n[i] = fabsf(two.x - here) + 1.0F;
    energy[i] = two.y;
    n[i + 1] = fabsf(two.z - here) + 1.0F;
    energy[i + 1] = two.w;
  }
  exact_shares(energy, n, share);
}

/// The same at any distance, for a batch that begins with impact number `begin`.
__device__ void shares(const Parameters& p, const Batch& staged, std::int64_t begin,
                       std::int64_t cell, float (&share)[run]) {
  begin += threadIdx.x * run;
#pragma unroll 1
  for (int i = 0; i < run; ++i) {
    const std::int64_t position = begin + i < p.count ? p.impacts[begin + i].position : cell;
    share[i] = p.rule.share(staged[i / 2][threadIdx.x][i % 2].energy, distance(position, cell));
  }
}

/// The relaxed value of a cell; before[0] is its value, with its neighbours' on both sides.
__device__ float relaxed(const Parameters& p, std::int64_t cell, const float* before) {
  if (p.round == 0) return 0;
  if (cell == 0 || cell == p.layer_cells - 1) return before[0];
  return (before[-1] + before[0] + before[1]) / 3.0F;
}

/// The thread's share of a batch of impacts, in registers.
struct Fetched {
  Impact impact[run];

  /// Reads them from the batch that begins with impact number `begin`, as far as there are any.
  __device__ void fetch(const Parameters& p, std::int64_t begin) {
#pragma unroll
    for (int k = 0; k < run; ++k) {
      const std::int64_t i = begin + threadIdx.x + k * threads;
      if (i < p.count) impact[k] = p.impacts[i];
    }
  }
};

/// Writes a batch of `count` impacts, or of the first ones, to shared memory, followed by impacts
/// of zero energy; returns whether floats hold the distances of all the others exactly. All threads
/// must call it.
__device__ bool stage(const Parameters& p, const CellTile& tile, const Fetched& fetched,
                      std::int64_t count, Batch& staged) {
  bool in_floats = true;
#pragma unroll
  for (int k = 0; k < run; ++k) {
    const unsigned i = threadIdx.x + k * threads;
    const Impact impact = i < count ? fetched.impact[k] : Impact{tile.first, 0};
    const std::int64_t offset = impact.position - tile.first;
    in_floats &= is_in_floats(offset, most_cells);
    const float energy = static_cast<float>(impact.energy) * p.rule.energy.multiplier;
    // If floats hold its distances, the offset fits into 32 bits.
    at(staged, i) = {static_cast<float>(static_cast<std::int32_t>(offset)),
                     quotient(energy, p.rule.energy.divisor, p.reciprocal)};
  }
  return __syncthreads_and(in_floats) != 0;
}

/// A block takes a tile, and its cells one after another. Impacts of zero energy fill up the last
/// batch, and adding 0 changes nothing. While a batch is added, the next one is on its way from
/// memory. The barriers of sum_in_order() come between what reads `staged` and `values`, and what
/// writes there next.
__global__ void __launch_bounds__(threads, 2) tiles_kernel(const Parameters p) {
  __shared__ alignas(sizeof(float4)) Batch staged;
  __shared__ SumInOrder<warps> shared;
  __shared__ float values[most_cells];
  const CellTile tile = p.tiles[blockIdx.x];
  if (p.round >= tile.rounds) return;
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t own = tile.value + thread;
  if (thread < tile.cells) values[thread] = relaxed(p, tile.first + thread, p.before + own);
  Fetched next{};
  next.fetch(p, 0);
  for (std::int64_t begin = 0; begin < p.count; begin += batch) {
    const bool in_floats = stage(p, tile, next, p.count - begin, staged);
    next.fetch(p, begin + batch);
    for (int cell = 0; cell < tile.cells; ++cell) {
      float share[run];
      if (in_floats) {
        quick_shares(staged, cell, share);
      } else {
        shares(p, staged, begin, tile.first + cell, share);
      }
      const float sum = sum_in_order(values[cell], share, shared);
      if (thread == 0) values[cell] = sum;
    }
  }
  __syncthreads();
  if (thread < tile.cells) p.after[own] = values[thread];
}

}  // namespace

void apply_to_tiles(const LayerRule& rule, std::span<const Impact> storm, std::int64_t layer_cells,
                    std::span<const CellTile> tiles, int round, std::span<const float> before,
                    std::span<float> after) {
  const Parameters parameters{.rule = rule,
                              .reciprocal = 1.0F / rule.energy.divisor,
                              .impacts = storm.data(),
                              .count = std::ssize(storm),
                              .layer_cells = layer_cells,
                              .tiles = tiles.data(),
                              .round = round,
                              .before = before.data(),
                              .after = after.data()};
  launch("storm tiles", {std::ssize(tiles), threads}, tiles_kernel, parameters);
}

std::int64_t tiles_at_once() {
  return resident_blocks(tiles_kernel, threads);
}

}  // namespace bombard::cuda
