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
template <Way way, class Amount>
__device__ OfCells sums_of_tile(const Scratch& scratch, const Terms& t,
                                const SourceArray<Amount>& sources, const States& states,
                                std::int64_t tile, const Ahead& ahead) {
  if constexpr (way == Way::exponentials) {
    return sums_by_exponentials(scratch, t, sources, states, tile, ahead);
  } else {
    const std::int64_t first = tile * tile_chunks;
    const Impacts impacts = load_impacts(scratch, t, sources, first, ahead.mask);
    far_polynomials(scratch, t, sources, states, tile, ahead, impacts != Impacts::none);
    __syncthreads();
    if (impacts != Impacts::none && way == Way::compact) {
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
template <Way way>
__device__ OfCells uncertainties_with_impacts(const Scratch& scratch, const Terms& t,
                                              const SourceArray<double>& uncertainties,
                                              const States& states, const Ahead& ahead,
                                              const Cells& cells, const Place& place) {
  OfCells uncertainty = uncertainties_before(cells, place);
  const OfCells value = values_before(cells, place);
  const OfCells sum = sums_of_tile<way>(scratch, t, uncertainties, states, place.tile, ahead);
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

/// Blocks of apply_kernel that a multiprocessor has registers for: with another one, what spills
/// costs more than it gains (measured on an H200: docs/journal.md).
template <bool tracked, Way way>
constexpr int resident_tiles = way == Way::exponentials ? 2
                               : tracked                ? 3
                               : way == Way::compact    ? 6
                                                        : 5;

/// Adds the sums to a tile's cells and finishes them. The first of several storms that were
/// gathered waits for that; behind it, all that sums are made of is there, and they are computed
/// beside the storm before. (A kernel begins once those before it have let it, and this one lets
/// others only after it has waited itself: nothing ever begins before the gathering is done.)
/// Written in the kernel itself, the compact way spills six times as much.
template <bool tracked, Way way>
__device__ __forceinline__ void apply_to_tile(const TileStorm& storm) {
  extern __shared__ double memory[];
  const bool wait_first = storm.first || tracked;
  if (wait_first) wait_then_let_next_begin();
  const Terms& t = storm.terms;
  const Cells& cells = storm.cells;
  const Scratch scratch(memory, t.terms, way);
  const std::int64_t tile = blockIdx.x;
  const Ahead ahead(t, storm.energies.mask, storm.states, tile);
  const Ahead uncertainty_ahead =
      tracked ? Ahead(t, storm.uncertainties.mask, storm.uncertainty_states, tile) : ahead;
  const Place place(tile, cells.count);
  prefetch_values_before(cells, place);

  OfCells uncertainty{};
  if constexpr (tracked) {
    uncertainty = uncertainties_with_impacts<way>(
        scratch, t, storm.uncertainties, storm.uncertainty_states, uncertainty_ahead, cells, place);
  }
  const OfCells sum = sums_of_tile<way>(scratch, t, storm.energies, storm.states, tile, ahead);
  if (!wait_first) wait_then_let_next_begin();
  OfCells value = values_before(cells, place);
  __syncthreads();
  store_sums<tracked>(scratch, cells, sum, value, uncertainty);
  __syncthreads();
  finish<tracked>(cells, place, scratch.value, scratch.uncertainty);
}

template <bool tracked, Way way>
__global__ void __launch_bounds__(tile_threads, resident_tiles<tracked, way>)
    apply_kernel(const TileStorm storm) {
  apply_to_tile<tracked, way>(storm);
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

Way way_of(bool tracked, bool polynomials_serve, std::int64_t tiles) {
  constexpr std::int64_t few_tiles = 1024;  // more than half of them are resident on an H200
  if (!polynomials_serve) return Way::exponentials;
  return tracked || tiles <= few_tiles ? Way::polynomials : Way::compact;
}

/// The kernel for layers with uncertainties, or without.
auto kernel_for(bool tracked, Way way) {
  if (way == Way::compact) return apply_kernel<false, Way::compact>;
  if (way == Way::polynomials) {
    return tracked ? apply_kernel<true, Way::polynomials> : apply_kernel<false, Way::polynomials>;
  }
  return tracked ? apply_kernel<true, Way::exponentials> : apply_kernel<false, Way::exponentials>;
}

std::int64_t scratch_bytes(int terms, bool tracked, Way way) {
  return Scratch::size(terms, tracked ? 2 : 1, way) * static_cast<std::int64_t>(sizeof(double));
}

}  // namespace

void load_apply() {
  load_kernels(apply_kernel<false, Way::polynomials>, apply_kernel<false, Way::compact>);
}

void prepare_apply(int terms, std::int64_t tiles, bool tracked, bool polynomials_serve) {
  const Way way = way_of(tracked, polynomials_serve, tiles);
  const auto kernel = kernel_for(tracked, way);
  const std::int64_t needed = scratch_bytes(terms, tracked, way);
  const std::int64_t there = most_shared_memory(kernel);
  if (needed > there) {
    throw CannotRun("a block of threads needs " + std::to_string(needed) +
                    " bytes of shared memory for " + std::to_string(terms) +
                    " exponentials, and this GPU has " + std::to_string(there) +
                    ": a smaller layer, or nearer impacts, need fewer; --device cpu takes any");
  }
  allow_shared_memory(kernel);
  // Of a layer that is cleared.
  allow_shared_memory(kernel_for(false, way_of(false, polynomials_serve, tiles)));
}

void apply(const TileStorm& storm, bool tracked, bool polynomials_serve) {
  const Terms& t = storm.terms;
  const Way way = way_of(tracked, polynomials_serve, t.tiles);
  launch_beside("apply", {t.tiles, tile_threads, scratch_bytes(t.terms, tracked, way)},
                kernel_for(tracked, way), storm);
}

void apply_sums(std::span<const double> sums, const Cells& cells, std::int64_t tiles) {
  launch_beside("apply sums", {tiles, tile_threads}, apply_sums_kernel, sums.data(), cells);
}

}  // namespace bombard::cuda
