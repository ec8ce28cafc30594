// A storm is added to the layer, tile by tile (docs/methods.md, The fast layer).

#include <cstdint>
#include <string>

#include "bombard/errors.hpp"
#include "kernels/convolution/cuda/apply.hpp"
#include "kernels/convolution/cuda/exponentials.cuh"
#include "kernels/convolution/cuda/near.cuh"
#include "kernels/convolution/cuda/relax.cuh"
#include "kernels/device/launch.cuh"

namespace bombard::cuda {

namespace {

/// Old values of the thread's cells, 0 outside the layer.
__device__ OfCells values_before(const Cells& cells, const Place& place) {
  OfCells values{};
  if (cells.fresh) return values;
  // The two ways apart: nothing then waits for what is loaded here until it is used.
  if (place.interior()) {
    for_each_pair([&](int block, int mirrored, int row, int column) {
      const auto two =
          *reinterpret_cast<const double2*>(cells.value.before(place.tile, row, column));
      values.of[block][mirrored][0] = two.x;
      values.of[block][mirrored][1] = two.y;
    });
  } else {
    for_each_pair([&](int block, int mirrored, int row, int column) {
      const double* const two = cells.value.before(place.tile, row, column);
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        if (place.holds((row - 1) * width + column + c)) values.of[block][mirrored][c] = two[c];
      }
    });
  }
  return values;
}

/// Has them on their way to the second-level cache, where they take no registers.
__device__ void prefetch_values_before(const Cells& cells, const Place& place) {
  constexpr int line = 128 / sizeof(double);
  const int i = line * static_cast<int>(threadIdx.x);
  if (cells.fresh || i >= tile_cells || !place.holds(i)) return;
  asm volatile("prefetch.global.L2 [%0];" ::"l"(cells.value.of_cell + place.first + i));
}

__device__ OfCells uncertainties_before(const Cells& cells, const Place& place) {
  OfCells uncertainties{};
  for_each_pair([&](int block, int mirrored, int row, int column) {
    const float* const two = cells.uncertainty.before(place.tile, row, column);
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      if (place.holds((row - 1) * width + column + c)) {
        uncertainties.of[block][mirrored][c] = two[c];
      }
    }
  });
  return uncertainties;
}

/// The sums of one field, energies or uncertainties, in the thread's cells: the far part and the
/// near part of few impacts or of many.
template <Within within, class Amount>
__device__ OfCells sums_of_tile(const Scratch& scratch, const Terms& t,
                                const SourceArray<Amount>& sources, const States& states,
                                std::int64_t tile, const Ahead& ahead) {
  if constexpr (within == Within::exponentials) {
    return sums_by_exponentials(scratch, t, sources, states, tile, ahead);
  } else {
    const std::int64_t first = tile * tile_chunks;
    const Impacts impacts = load_impacts(scratch, t, sources, first, ahead.mask);
    far_polynomials(scratch, t, sources, states, tile, ahead, impacts != Impacts::none);
    __syncthreads();
    if (impacts != Impacts::none) {
      // Once more: meanwhile the states had their place. (So more tiles are resident.)
      load_strengths(scratch, sources, first);
      __syncthreads();
    }
    Parts sum = values_of(scratch.polynomial, t);
    const Fragment at;
    const int warp = static_cast<int>(threadIdx.x) / 32;
    if (impacts == Impacts::many) add_many_near_impacts(scratch, at, warp, sum);
    OfCells cells = sum.cells();
    if (impacts == Impacts::few) add_few_near_impacts(scratch, at, warp, cells);
    return cells;
  }
}

/// The uncertainties of the thread's cells when a storm's impacts have come: those before it, the
/// roundings of the additions, and the uncertainties of the impacts.
template <Within within>
__device__ OfCells uncertainties_with_impacts(const Scratch& scratch, const Terms& t,
                                              const SourceArray<double>& uncertainties,
                                              const States& states, const Ahead& ahead,
                                              const Cells& cells, const Place& place) {
  OfCells uncertainty = uncertainties_before(cells, place);
  const OfCells value = values_before(cells, place);
  const OfCells sum = sums_of_tile<within>(scratch, t, uncertainties, states, place.tile, ahead);
  __syncthreads();
#pragma unroll
  for (int block = 0; block < row_blocks; ++block) {
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      double& known = uncertainty.of[block][c / 2][c % 2];
      known += cells.growth.growth * (known + fabs(value.of[block][c / 2][c % 2])) +
               sum.of[block][c / 2][c % 2];
    }
  }
  return uncertainty;
}

/// Puts what the thread's cells hold after the impacts where relax() finds it.
template <bool tracked>
__device__ void store_sums(const Scratch& scratch, const Cells& cells, const OfCells& sum,
                           OfCells& value, OfCells& uncertainty) {
  for_each_pair([&](int block, int mirrored, int row, int column) {
    double(&here)[2] = value.of[block][mirrored];
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      here[c] += sum.of[block][mirrored][c];
      if constexpr (tracked) {
        uncertainty.of[block][mirrored][c] += cells.growth.rounding * fabs(here[c]);
      }
    }
    store_pair(scratch.value, row, column, here);
    if constexpr (tracked) {
      store_pair(scratch.uncertainty, row, column, uncertainty.of[block][mirrored]);
    }
  });
}

__device__ void wait_then_let_next_begin() {
  wait_for_previous();
  let_next_begin();
}

/// Adds the sums to a tile's cells and finishes them. The first of several storms that were
/// gathered waits for that; behind it, all that sums are made of is there, and they are computed
/// beside the storm before. (A kernel begins once those before it have let it, and this one lets
/// others only after it has waited itself: nothing ever begins before the gathering is done.)
template <bool tracked, Within within>
__device__ __forceinline__ void apply_to_tile(const TileStorm& storm) {
  extern __shared__ double memory[];
  const bool wait_first = storm.first || tracked;
  if (wait_first) wait_then_let_next_begin();
  const Terms& t = storm.terms;
  const Cells& cells = storm.cells;
  const Scratch scratch(memory, t.terms, within);
  const std::int64_t tile = blockIdx.x;
  const Ahead ahead(t, storm.energies.mask, storm.states, tile);
  const Ahead uncertainty_ahead =
      tracked ? Ahead(t, storm.uncertainties.mask, storm.uncertainty_states, tile) : ahead;
  const Place place(tile, cells.count);
  prefetch_values_before(cells, place);

  OfCells uncertainty{};
  if constexpr (tracked) {
    uncertainty = uncertainties_with_impacts<within>(
        scratch, t, storm.uncertainties, storm.uncertainty_states, uncertainty_ahead, cells, place);
  }
  const OfCells sum = sums_of_tile<within>(scratch, t, storm.energies, storm.states, tile, ahead);
  if (!wait_first) wait_then_let_next_begin();
  OfCells value = values_before(cells, place);
  __syncthreads();
  store_sums<tracked>(scratch, cells, sum, value, uncertainty);
  __syncthreads();
  finish<tracked>(cells, place, scratch.value, scratch.uncertainty);
}

/// Blocks of apply_kernel on a multiprocessor at a time: the most that their registers leave room
/// for before spilling costs more than a block gains (measured on an H200: docs/journal.md).
template <bool tracked>
constexpr int resident_tiles = tracked ? 3 : 5;

template <bool tracked>
__global__ void __launch_bounds__(tile_threads, resident_tiles<tracked>)
    apply_kernel(const TileStorm storm) {
  apply_to_tile<tracked, Within::polynomials>(storm);
}

template <bool tracked>
__global__ void __launch_bounds__(tile_threads, 2)  // shared memory has room for two
    apply_exponentials_kernel(const TileStorm storm) {
  apply_to_tile<tracked, Within::exponentials>(storm);
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
auto kernel_for(bool tracked, bool polynomials_serve) {
  if (polynomials_serve) return tracked ? apply_kernel<true> : apply_kernel<false>;
  return tracked ? apply_exponentials_kernel<true> : apply_exponentials_kernel<false>;
}

std::int64_t scratch_bytes(int terms, bool tracked, bool polynomials_serve) {
  const Within within = polynomials_serve ? Within::polynomials : Within::exponentials;
  return Scratch::size(terms, tracked ? 2 : 1, within) * static_cast<std::int64_t>(sizeof(double));
}

}  // namespace

void load_apply() {
  load_kernels(apply_kernel<false>);
}

void prepare_apply(int terms, bool tracked, bool polynomials_serve) {
  const auto kernel = kernel_for(tracked, polynomials_serve);
  const std::int64_t needed = scratch_bytes(terms, tracked, polynomials_serve);
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
                {storm.terms.tiles, tile_threads,
                 scratch_bytes(storm.terms.terms, tracked, polynomials_serve)},
                kernel_for(tracked, polynomials_serve), storm);
}

void apply_sums(std::span<const double> sums, const Cells& cells, std::int64_t tiles) {
  launch_beside("apply sums", {tiles, tile_threads}, apply_sums_kernel, sums.data(), cells);
}

}  // namespace bombard::cuda
