#include <cmath>

#include "kernels/convolution/cuda/outside.hpp"
#include "kernels/convolution/cuda/shape.cuh"
#include "kernels/device/launch.cuh"

namespace bombard::cuda {

namespace {

constexpr int outside_threads = 256;

/// A block adds up what its threads have, always in the same order; thread 0 has the sum. All
/// threads take part.
__device__ double sum_of_block(double value) {
  __shared__ double of_thread[outside_threads];
  __syncthreads();  // another sum may still be read
  of_thread[threadIdx.x] = value;
  __syncthreads();
  for (int step = outside_threads / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) of_thread[threadIdx.x] += of_thread[threadIdx.x + step];
    __syncthreads();
  }
  return of_thread[0];
}

/// One block for each term.
__global__ void __launch_bounds__(outside_threads)
    outside_kernel(const GatheredImpacts storm, bool before_counts, bool behind_counts, int terms,
                   const double* exponents, double unit, double* outside) {
  const double a = exponents[blockIdx.x];
  double sum[4] = {};
  // In two levels: few roundings are in each sum, however many impacts there are
  // (docs/roundings.md, On the GPU, counts those of 512 impacts).
  constexpr std::int64_t impacts_of_sum = 512;
  constexpr std::int64_t part = outside_threads * impacts_of_sum;
  for (std::int64_t begin = 0; begin < storm.count; begin += part) {
    double of_part[4] = {};
    const std::int64_t end = min(begin + part, storm.count);
    for (std::int64_t i = begin + threadIdx.x; i < end; i += outside_threads) {
      const Impact impact = storm.impacts[i];
      const std::int64_t cell = storm.cell_of(impact);
      const bool before = cell < 0;
      if (storm.is_inside(cell) || !(before ? before_counts : behind_counts)) continue;
      const int side = before ? 0 : 1;
      const auto distance =
          static_cast<double>(before ? -1 - cell : cell - storm.chunks * chunk_cells);
      const double factor = exp(a * (unit - distance));
      of_part[side] = fma(static_cast<double>(impact.energy), factor, of_part[side]);
      of_part[2 + side] = fma(storm.off(0, i, impact.energy), factor, of_part[2 + side]);
    }
    for (int k = 0; k < 4; ++k) sum[k] += of_part[k];
  }
  for (int k = 0; k < 4; ++k) {
    const double of_all = sum_of_block(sum[k]);
    if (threadIdx.x == 0) outside[k * terms + blockIdx.x] = of_all;
  }
}

/// The part of a slab whose states leave on one side: all tiles whose share in the next one's
/// states lies before the border on their way, and the chunks between these and the border.
///
///     to the right: tile b adds chunks 28 b - 2 .. 28 b + 25 to the state that enters tile b + 1
///     to the left:  tile b adds chunks 28 b + 2 .. 28 b + 29 to the state that enters tile b - 1
struct Leaving {
  int side;             ///< 0: to the right, 1: to the left
  std::int64_t border;  ///< stands before this chunk
  std::int64_t tiles;   ///< how many add to it as a whole, from the first one on their way
  int chunks;           ///< between these and the border, fewer than tile_chunks

  __host__ __device__ Leaving(bool to_right, std::int64_t chunk, std::int64_t all_tiles)
      : side(to_right ? 0 : 1), border(chunk) {
    if (to_right) {
      tiles = (chunk + 2) / tile_chunks;
      chunks = static_cast<int>(chunk + 2 - tiles * tile_chunks);
    } else {
      const std::int64_t first = (chunk + tile_chunks - 3) / tile_chunks;
      tiles = all_tiles - first;
      chunks = static_cast<int>(first * tile_chunks + 2 - chunk);
    }
  }

  /// The chunk that is `passed` chunks before the border.
  __device__ std::int64_t chunk_before(int passed) const {
    return side == 0 ? border - 1 - passed : border + passed;
  }
};

/// The tiles of one sum: few roundings are in it, however many tiles there are (docs/roundings.md,
/// On the GPU, counts those of 16 tiles for each thread).
constexpr std::int64_t tiles_of_sum = outside_threads * std::int64_t{16};

/// The sums that the tiles add to the state at the border, [sum][term], a block for each.
__global__ void __launch_bounds__(outside_threads)
    sum_tiles_kernel(const Terms t, const States states, const Leaving leaving, double* sums) {
  const int term = static_cast<int>(blockIdx.x % t.terms);
  const std::int64_t begin = blockIdx.x / t.terms * tiles_of_sum;
  const std::int64_t end = min(begin + tiles_of_sum, leaving.tiles);
  const double a = states.exponents[term];
  const auto decay_at = [&](std::int64_t tile) {
    const std::int64_t behind = leaving.tiles - 1 - tile;
    return exp(-a * static_cast<double>(behind * tile_cells + leaving.chunks * width));
  };
  double sum = 0;
  if (decay_at(end - 1) > 0) {  // else nothing is left of those before it
    const Column column(t.terms, t.tiles, states, leaving.side * t.terms + term);
    for (std::int64_t tile = begin + threadIdx.x; tile < end; tile += outside_threads) {
      if (!column.adds[tile * column.step]) continue;
      sum = fma(column.states[tile * column.stride], decay_at(tile), sum);
    }
  }
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

/// All of these sums, and what the sources between the tiles and the border add, whose exponentials
/// are 1 at `origin` cells before the end of their chunk; as outside_kernel has them. A block for
/// each term.
__global__ void __launch_bounds__(outside_threads)
    leave_kernel(const Terms t, const double* exponents, const SourceArray<std::int64_t> sources,
                 const Leaving leaving, double origin, const double* sums, std::int64_t count,
                 double* left) {
  const int term = static_cast<int>(blockIdx.x);
  const double a = exponents[term];
  double sum = 0;
  for (std::int64_t i = threadIdx.x; i < count; i += outside_threads) {
    sum += sums[i * t.terms + term];
  }
  for (int item = static_cast<int>(threadIdx.x); item < leaving.chunks * width;
       item += outside_threads) {
    const int passed = item / width, cells = item % width;
    const std::int64_t chunk = leaving.chunk_before(passed);
    if (chunk == (leaving.side == 0 ? -1 : t.chunks) && cells == 0) {
      sum = fma(sources.outside[leaving.side * t.terms + term], exp(-a * width * passed), sum);
    }
    if (chunk < 0 || chunk >= t.chunks) continue;
    const int cell = leaving.side == 0 ? width - 1 - cells : cells;
    if ((sources.mask[chunk] >> cell & 1) == 0) continue;
    const auto amount = static_cast<double>(sources.of_chunk(chunk)[cell]);
    sum = fma(amount, exp(a * (origin - static_cast<double>(item))), sum);
  }
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) left[term] = sum;
}

/// The states that come in, [side][term], lie outside from now on, and tiles add it to the next
/// one's states as they would have done. A thread for each.
__global__ void come_in_kernel(const Terms t, const States states, const double* coming_in,
                               double* outside) {
  const int item = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (item >= 2 * t.terms) return;
  const bool to_right = item < t.terms;
  const double a = states.exponents[item % t.terms];
  const std::int64_t tile = to_right ? 0 : (t.chunks - 2) / tile_chunks;
  const auto passed =
      static_cast<double>(to_right ? tile_chunks - 2 : t.chunks - 2 - tile * tile_chunks);
  outside[item] += coming_in[item];
  double& added = states.of_tiles[tile * 2 * t.terms + item];
  added = fma(coming_in[item], exp(-a * width * passed), added);
}

}  // namespace

void Outside::begin(int terms, const double* exponents, double unit) {
  terms_ = terms;
  exponents_ = exponents;
  unit_ = unit;
  moments_.at_least(4 * terms);
  crossing_.at_least(2 * terms);
  empty_ = false;
  clear();
}

void Outside::gather(const GatheredImpacts& storm, bool before_counts, bool behind_counts) {
  empty_ = false;
  launch("outside", {terms_, outside_threads}, outside_kernel, storm, before_counts, behind_counts,
         terms_, exponents_, unit_, moments_.span().data());
}

void Outside::clear() {
  if (!empty_) set_bytes(moments_.span(), 0);
  empty_ = true;
}

std::vector<double> Outside::leaving(bool to_right, std::int64_t chunk, const Terms& terms,
                                     const States& states,
                                     const SourceArray<std::int64_t>& sources) {
  const Leaving leaving(to_right, chunk, terms.tiles);
  const std::int64_t sums = (leaving.tiles + tiles_of_sum - 1) / tiles_of_sum;
  sums_.at_least(sums * terms_);
  if (sums > 0) {
    launch("sum tiles", {sums * terms_, outside_threads}, sum_tiles_kernel, terms, states, leaving,
           sums_.span().data());
  }
  launch("leave", {terms_, outside_threads}, leave_kernel, terms, exponents_, sources, leaving,
         unit_, sums_.span().data(), sums, crossing_.span().data());
  std::vector<double> left(static_cast<std::size_t>(terms_));
  crossing_.copy_to(left);
  return left;
}

void Outside::come_in(const std::vector<double>& both, const Terms& terms, const States& states) {
  empty_ = false;
  crossing_.copy_from(both);
  launch("come in", one_thread_each(2 * terms_), come_in_kernel, terms, states,
         crossing_.span().data(), moments_.span().data());
}

}  // namespace bombard::cuda
