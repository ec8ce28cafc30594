#pragma once

// A storm is added to the layer, tile by tile (docs/methods.md, The convolution).

#include <cuda_pipeline.h>

#include <cstdint>

#include "kernels/convolution/cuda/end_shares.cuh"
#include "kernels/convolution/cuda/evaluate.cuh"
#include "kernels/convolution/cuda/exponentials.cuh"
#include "kernels/convolution/cuda/gather.cuh"
#include "kernels/convolution/cuda/peaks.cuh"
#include "kernels/convolution/cuda/relax.cuh"
#include "kernels/convolution/cuda/source_ends.cuh"
#include "kernels/convolution/cuda/states.cuh"
#include "kernels/device/launch.cuh"

namespace bombard::cuda {

/// Old values of the thread's cells, 0 outside the layer.
__device__ inline OfCells values_before(const Cells& cells, const Place& place) {
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
__device__ inline void prefetch_values_before(const Cells& cells, const Place& place) {
  constexpr int line = 128 / sizeof(double);
  const int i = line * static_cast<int>(threadIdx.x);
  if (cells.fresh || i >= tile_cells || !place.holds(i)) return;
  asm volatile("prefetch.global.L2 [%0];" ::"l"(cells.value.of_cell + place.first + i));
}

__device__ inline OfCells uncertainties_before(const Cells& cells, const Place& place) {
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

/// The sums of one field in the thread's cells.
template <Within within, class Amount, class Ends>
__device__ OfCells sums_of_tile(const Scratch& scratch, const Terms& t,
                                const SourceArray<Amount>& sources, const States& states,
                                std::int64_t tile, const Ahead& ahead, const Ends& ends) {
  if constexpr (within == Within::polynomials) {
    return evaluate(scratch, t, sources, states, tile, ahead, ends);
  } else {
    return evaluate_exponentials(scratch, t, sources, states, tile, ahead, ends);
  }
}

/// The uncertainties of the thread's cells when a storm's impacts have come: those before it, what
/// the roundings of so many additions add to them, and what the impacts bring.
template <Within within, class Ends>
__device__ OfCells uncertainties_with_impacts(const Scratch& scratch, const Terms& t,
                                              const SourceArray<double>& uncertainties,
                                              const States& states, const Ahead& ahead,
                                              const Cells& cells, const Place& place,
                                              const Ends& ends) {
  OfCells uncertainty = uncertainties_before(cells, place);
  const OfCells value = values_before(cells, place);
  const OfCells sum =
      sums_of_tile<within>(scratch, t, uncertainties, states, place.tile, ahead, ends);
  __syncthreads();
#pragma unroll
  for (int block = 0; block < row_blocks; ++block) {
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      double& known = uncertainty.of[block][c / 2][c % 2];
      known += cells.growth * (known + fabs(value.of[block][c / 2][c % 2])) +
               sum.of[block][c / 2][c % 2];
    }
  }
  return uncertainty;
}

/// Puts what the thread's cells hold after the impacts where relax() finds it. Where some end,
/// add_end_shares() completes it.
template <bool tracked, class Ends>
__device__ void store_sums(const Scratch& scratch, const Cells& cells, const OfCells& sum,
                           OfCells& value, OfCells& uncertainty) {
  for_each_pair([&](int block, int mirrored, int row, int column) {
    double(&here)[2] = value.of[block][mirrored];
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      here[c] += sum.of[block][mirrored][c];
      if constexpr (tracked && !Ends::any) {
        uncertainty.of[block][mirrored][c] += cells.rounding * fabs(here[c]);
      }
    }
    store_pair(scratch.value, row, column, here);
    if constexpr (tracked) {
      store_pair(scratch.uncertainty, row, column, uncertainty.of[block][mirrored]);
    }
  });
}

/// The block that comes here last finds the highest of all tiles' peaks.
__device__ inline void find_highest_if_last(const Cells& cells) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(cells.finished, 1U) + 1 == gridDim.x;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  const LayerPeak peak = highest_of(cells.tile_peaks, gridDim.x, 1);
  if (threadIdx.x == 0) {
    cells.found->peak = peak;
    cells.found->count = 0;
    *cells.finished = 0;
  }
}

/// Blocks of apply_kernel on a multiprocessor at a time: as many as their registers leave room for
/// without spilling more than they gain (measured on an H200: docs/journal.md).
template <bool tracked>
constexpr int resident_tiles = tracked ? 3 : 5;

/// Adds the sums to a tile's cells and finishes them. The first of several storms that were
/// gathered waits for that; behind it, all that sums are made of is there, and they are computed
/// beside the storm before. (A kernel begins once those before it have let it, and this one lets
/// others only after it has waited itself: nothing ever begins before the gathering is done.)
template <bool tracked, Within within = Within::polynomials, class Ends>
__device__ __forceinline__ void apply_to_tile(const Terms& t, const NearTiles& near,
                                              const SourceArray<std::int64_t>& energies,
                                              const SourceArray<double>& uncertainties,
                                              const States& states,
                                              const States& uncertainty_states, const Cells& cells,
                                              const bool first, const Ends& ends) {
  extern __shared__ double memory[];
  if (first || tracked) {
    wait_for_previous();
    let_next_begin();
  }
  const Scratch scratch(memory, t.terms);
  const std::int64_t tile = near(blockIdx.x, t.tiles);
  if (tile < 0 || !near.took(tile, blockIdx.x)) return;
  const Ahead ahead(t, energies.mask, states, tile);
  const Ahead uncertainty_ahead =
      tracked ? Ahead(t, uncertainties.mask, uncertainty_states, tile) : ahead;
  const Place place(tile, cells.count);
  prefetch_values_before(cells, place);

  OfCells uncertainty{};
  if constexpr (tracked) {
    uncertainty = uncertainties_with_impacts<within>(scratch, t, uncertainties, uncertainty_states,
                                                     uncertainty_ahead, cells, place, ends);
  }
  const OfCells sum = sums_of_tile<within>(scratch, t, energies, states, tile, ahead, ends);
  if (!first && !tracked) {
    wait_for_previous();
    let_next_begin();
  }
  OfCells value = values_before(cells, place);
  __syncthreads();
  store_sums<tracked, Ends>(scratch, cells, sum, value, uncertainty);
  __syncthreads();
  if constexpr (Ends::any) {
    add_end_shares<tracked>(scratch, ends, cells, tile);
    __syncthreads();
  }
  note(cells, place,
       place.interior() ? relax<tracked, true>(cells, place, scratch.value, scratch.uncertainty)
                        : relax<tracked, false>(cells, place, scratch.value, scratch.uncertainty));
  if (cells.finished != nullptr) find_highest_if_last(cells);
}

template <bool tracked>
__global__ void __launch_bounds__(tile_threads, resident_tiles<tracked>)
    apply_kernel(const Terms t, const NearTiles near, const SourceArray<std::int64_t> energies,
                 const SourceArray<double> uncertainties, const States states,
                 const States uncertainty_states, const Cells cells, const bool first) {
  apply_to_tile<tracked>(t, near, energies, uncertainties, states, uncertainty_states, cells, first,
                         NoEnds{});
}

/// The same for a storm in which sources end.
template <bool tracked>
__global__ void __launch_bounds__(tile_threads, resident_tiles<tracked>)
    apply_with_ends_kernel(const Terms t, const NearTiles near,
                           const SourceArray<std::int64_t> energies,
                           const SourceArray<double> uncertainties, const States states,
                           const States uncertainty_states, const Cells cells,
                           const EndLists ends) {
  apply_to_tile<tracked>(t, near, energies, uncertainties, states, uncertainty_states, cells, true,
                         ends);
}

/// The same for steep attenuations, in storms of either kind: `Ends` is EndLists or NoEnds.
template <bool tracked, class Ends>
__global__ void __launch_bounds__(tile_threads, 2)  // as many as shared memory has room for
    apply_exponentials_kernel(const Terms t, const NearTiles near,
                              const SourceArray<std::int64_t> energies,
                              const SourceArray<double> uncertainties, const States states,
                              const States uncertainty_states, const Cells cells, const Ends ends) {
  apply_to_tile<tracked, Within::exponentials>(t, near, energies, uncertainties, states,
                                               uncertainty_states, cells, true, ends);
}

/// Shared memory of a block that takes a quiet tile, in doubles.
struct QuietScratch {
  double* value;       ///< [evaluated_chunks][pitch]
  double* polynomial;  ///< [parity][seen_chunks][parity_coefficients]
  double* state;       ///< [side][term], terms filled up to a multiple of 8

  static constexpr std::int64_t size(int terms) {
    return values_size + 2 * seen_chunks * parity_coefficients +
           2 * std::int64_t{8 * eights_of(terms)};
  }
  __device__ explicit QuietScratch(double* memory)
      : value(memory),
        polynomial(value + values_size),
        state(polynomial + 2 * seen_chunks * parity_coefficients) {}
};

/// One of the tiles that see no impacts and none of the layer's ends; nothing happens to others.
__device__ inline void apply_to_quiet_tile(const Terms& t, const std::uint64_t* masks,
                                           const States& states, const Cells& cells) {
  extern __shared__ double memory[];
  __shared__ std::uint64_t seen[seen_chunks];
  const QuietScratch scratch(memory);
  const std::int64_t tile = blockIdx.x;
  const Place place(tile, cells.count);
  if (NearTiles::at_end(tile, t.tiles)) return;
  const Ahead ahead(t, masks, states, tile);
  if (!cells.fresh) {
    for_each_pair([&](int, int, int row, int column) {
      __pipeline_memcpy_async(scratch.value + row * pitch + column,
                              cells.value.before(tile, row, column), sizeof(double2));
    });
  }
  __pipeline_commit();
  if (share_masks(ahead.mask, seen)) {
    __pipeline_wait_prior(0);
    return;
  }
  quiet_polynomials(t, states, tile, ahead, scratch.state, scratch.polynomial);
  __syncthreads();
  OfCells value = values_of(scratch.polynomial, t).cells();
  __pipeline_wait_prior(0);  // a thread's own cells
  for_each_pair([&](int block, int mirrored, int row, int column) {
    double(&here)[2] = value.of[block][mirrored];
    if (!cells.fresh) {
      const double2 old = *reinterpret_cast<double2*>(scratch.value + row * pitch + column);
      here[0] += old.x;
      here[1] += old.y;
    }
    store_pair(scratch.value, row, column, here);
  });
  __syncthreads();
  note(cells, place, relax<false, true>(cells, place, scratch.value, nullptr));
}

/// The quiet tiles, with less memory for a tile and so more tiles at a time, beside apply_kernel,
/// which takes the others.
constexpr int resident_quiet_tiles = 7;  // measured as above
static __global__ void __launch_bounds__(tile_threads, resident_quiet_tiles)
    quiet_kernel(const Terms t, const std::uint64_t* masks, const States states,
                 const Cells cells) {
  apply_to_quiet_tile(t, masks, states, cells);
  wait_for_previous();
}

}  // namespace bombard::cuda
