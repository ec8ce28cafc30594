#include <string>

#include "bombard/errors.hpp"
#include "kernels/convolution/cuda/apply.cuh"

namespace bombard::cuda {

namespace {

/// Blocks of apply_kernel on a multiprocessor at a time: the most that their registers leave room
/// for before spilling costs more than a block gains (measured on an H200: docs/journal.md).
template <bool tracked>
constexpr int resident_tiles = tracked ? 3 : 5;

template <bool tracked>
__global__ void __launch_bounds__(tile_threads, resident_tiles<tracked>)
    apply_kernel(const TileStorm storm) {
  apply_to_tile<tracked, Within::polynomials>(storm);
}

__global__ void __launch_bounds__(tile_threads)
    apply_sums_kernel(const double* sums, const Cells cells) {
  __shared__ alignas(sizeof(double2)) double values[values_size];
  follow_previous();
  const Place place(blockIdx.x, cells.count);
  OfCells value = values_before(cells, place);
  const double* const of_tile = sums + place.tile * tile_cells;
  for_each_pair([&](int block, int mirrored, int row, int column) {
    double(&here)[2] = value.of[block][mirrored];
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      const int i = (row - 1) * width + column + c;
      if (place.holds(i)) here[c] += of_tile[i];
    }
    store_pair(values, row, column, here);
  });
  __syncthreads();
  finish<false>(cells, place, values, nullptr);
}

/// The kernel for layers with uncertainties, or without, by polynomials or by exponentials.
ApplyKernel* kernel_for(bool tracked, bool polynomials_serve) {
  if (!polynomials_serve) return apply_kernel_by_exponentials(tracked);
  return tracked ? apply_kernel<true> : apply_kernel<false>;
}

std::int64_t scratch_bytes(int terms, bool tracked) {
  return Scratch::size(terms, tracked ? 2 : 1) * static_cast<std::int64_t>(sizeof(double));
}

}  // namespace

void load_apply() {
  load_kernels(apply_kernel<false>);
}

void prepare_apply(int terms, bool tracked, bool polynomials_serve) {
  ApplyKernel* const kernel = kernel_for(tracked, polynomials_serve);
  const std::int64_t needed = scratch_bytes(terms, tracked);
  const std::int64_t there = most_shared_memory(kernel);
  if (needed > there) {
    throw CannotRun("a block of threads needs " + std::to_string(needed) +
                    " bytes of shared memory for " + std::to_string(terms) +
                    " exponentials, and this GPU has " + std::to_string(there) +
                    ": a smaller layer, or nearer impacts, need fewer; --device cpu takes any");
  }
  allow_shared_memory(kernel);
  allow_shared_memory(kernel_for(false, polynomials_serve));  // of a layer that is cleared
}

void apply(const TileStorm& storm, bool tracked, bool polynomials_serve) {
  launch_beside("apply",
                {storm.terms.tiles, tile_threads, scratch_bytes(storm.terms.terms, tracked)},
                kernel_for(tracked, polynomials_serve), storm);
}

void apply_sums(std::span<const double> sums, const Cells& cells, std::int64_t tiles) {
  launch_beside("apply sums", {tiles, tile_threads}, apply_sums_kernel, sums.data(), cells);
}

}  // namespace bombard::cuda
