#include <cmath>

#include "kernels/convolution/cuda/border_states.hpp"
#include "kernels/convolution/cuda/shape.cuh"
#include "kernels/convolution/cuda/states.cuh"
#include "kernels/convolution/cuda/sum_of_block.cuh"
#include "kernels/device/launch.cuh"

namespace bombard::cuda {

namespace {

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

/// The sums that the tiles add to the state at the border, and that the sources between them and
/// the border add, whose exponentials are 1 at `origin` cells before the end of their chunk; as
/// outside_kernel has them. A block for each term.
constexpr int leaving_threads = 256;
__global__ void __launch_bounds__(leaving_threads)
    leave_kernel(const Terms t, const States states, const SourceArray<std::int64_t> sources,
                 const Leaving leaving, double origin, double* left) {
  const int term = static_cast<int>(blockIdx.x);
  const Column column(t.terms, t.tiles, states.exponents, states.of_tiles,
                      leaving.side * t.terms + term);
  const double a = states.exponents[term];
  double sum = 0;
  // In two levels: few roundings are in each sum, however many tiles there are (docs/roundings.md,
  // On the GPU, counts those of 128 tiles).
  constexpr std::int64_t part = leaving_threads * std::int64_t{128};
  for (std::int64_t begin = 0; begin < leaving.tiles; begin += part) {
    double of_part = 0;
    const std::int64_t end = min(begin + part, leaving.tiles);
    for (std::int64_t tile = begin + threadIdx.x; tile < end; tile += leaving_threads) {
      const std::int64_t behind = leaving.tiles - 1 - tile;
      const auto cells = static_cast<double>(behind * tile_cells + leaving.chunks * width);
      of_part = fma(column.states[tile * column.stride], exp(-a * cells), of_part);
    }
    sum += of_part;
  }
  for (int item = static_cast<int>(threadIdx.x); item < leaving.chunks * width;
       item += leaving_threads) {
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
  sum = sum_of_block<leaving_threads>(sum);
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

std::vector<double> leaving_states(bool to_right, std::int64_t chunk, const Terms& terms,
                                   const States& states, const SourceArray<std::int64_t>& sources,
                                   double unit, DeviceArray<double>& sums) {
  const Leaving leaving(to_right, chunk, terms.tiles);
  sums.at_least(terms.terms);
  launch("leave", {terms.terms, leaving_threads}, leave_kernel, terms, states, sources, leaving,
         unit, sums.span().data());
  std::vector<double> left(static_cast<std::size_t>(terms.terms));
  sums.copy_to(left);
  return left;
}

void add_coming_in(const std::vector<double>& both, const Terms& terms, const States& states,
                   Outside& outside, DeviceArray<double>& sums) {
  sums.at_least(2 * terms.terms);
  sums.copy_from(both);
  launch("come in", one_thread_each(2 * terms.terms), come_in_kernel, terms, states,
         sums.span().data(), outside.energies_to_add_to());
}

}  // namespace bombard::cuda
