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

  __host__ __device__ std::int64_t runs() const { return runs_of(tiles); }
  /// The chunk that is `passed` chunks before the border.
  __device__ std::int64_t chunk_before(int passed) const {
    return side == 0 ? border - 1 - passed : border + passed;
  }
};

/// The sum that each run of these tiles adds to the state behind it: sums are [run][term]. A block
/// for each run, a thread for each term.
__global__ void sum_runs_kernel(const States states, const Leaving leaving, double* sums) {
  const int term = static_cast<int>(threadIdx.x);
  if (term >= states.terms) return;
  const Column column(states.terms, states.tiles, tile_cells, states.exponents, states.of_tiles,
                      leaving.side * states.terms + term);
  const std::int64_t run = blockIdx.x;
  const std::int64_t tiles = min(std::int64_t{run_tiles}, leaving.tiles - run * run_tiles);
  const double decay = exp(-column.a);
  double state = 0;
  for_each_in_order(column.states + run * run_tiles * column.stride, column.stride, tiles,
                    [&](double added, std::int64_t) { state = fma(state, decay, added); });
  sums[run * states.terms + term] = state;
}

/// The sum of the runs' sums, and of the sources between them and the border, whose exponentials
/// are 1 at `origin` cells before the end of their chunk; as outside_kernel has them. A block for
/// each term.
constexpr int leaving_threads = 256;
__global__ void __launch_bounds__(leaving_threads)
    leave_kernel(const Terms t, const SourceArray<std::int64_t> sources, const Leaving leaving,
                 const double* exponents, double origin, const double* sums, double* states) {
  const int term = static_cast<int>(blockIdx.x);
  const double a = exponents[term];
  double sum = 0;
  for (std::int64_t run = threadIdx.x; run < leaving.runs(); run += leaving_threads) {
    const std::int64_t behind = max(leaving.tiles - (run + 1) * run_tiles, std::int64_t{0});
    const auto cells = static_cast<double>(behind * tile_cells + leaving.chunks * width);
    sum = fma(sums[run * t.terms + term], exp(-a * cells), sum);
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
  if (threadIdx.x == 0) states[term] = sum;
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
  sums.at_least((leaving.runs() + 1) * terms.terms);
  double* const sum = sums.span().data();
  double* const of_runs = sum + terms.terms;
  launch("sum runs", {leaving.runs(), (terms.terms + 31) / 32 * 32}, sum_runs_kernel, states,
         leaving, of_runs);
  launch("leave", {terms.terms, leaving_threads}, leave_kernel, terms, sources, leaving,
         states.exponents, unit, of_runs, sum);
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
