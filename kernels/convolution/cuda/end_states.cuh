#pragma once

// Sources that end leave the states (source_ends.cuh): the chunk of their end and those behind it
// see states without them. What is left of a source is taken off where the chunk two before its end
// adds its own sources to the states, for that is the last one whose sources the chunk of the end
// has from states. It is computed as the chunk of the source did, by the same polynomials or by
// exponentials, so that their errors go with it and only roundings stay.

#include <cmath>
#include <cstdint>

#include "kernels/convolution/cuda/far.cuh"
#include "kernels/convolution/cuda/shape.cuh"
#include "kernels/convolution/cuda/source_ends.cuh"
#include "kernels/convolution/cuda/states.cuh"
#include "kernels/convolution/cuda/storm_list.cuh"
#include "kernels/device/launch.cuh"

namespace bombard::cuda {

/// What is left of a source some way on, to be taken off the states there.
struct Removal {
  double amount;
  double x;           ///< of the source in its chunk, against the direction of the states
  int tiles, chunks;  ///< that it has passed since, the sum of both
  int outside;        ///< not 0: the source is outside the layer, and x not within the chunk
  int row;            ///< of the tile's seen chunk where that is

  /// Tables have neither what comes from outside nor what comes from so far.
  __device__ bool has_table() const { return outside == 0 && tiles < run_tiles; }
};

/// Of the source on its way to the right or to the left, in the chunk `at`.
template <class Amount>
__device__ Removal removal(const EndLists& ends, const EndingDeposit& deposit, bool to_right,
                           std::int64_t at, int row) {
  const std::int64_t chunk = chunk_of_source(deposit.position, ends.chunks);
  const double in_chunk =
      (static_cast<double>(deposit.position - chunk * width) - (half_width - 0.5)) / half_width;
  const std::int64_t passed = to_right ? at - chunk : chunk - at;
  return {.amount = ends.amount<Amount>(deposit),
          .x = to_right ? -in_chunk : in_chunk,
          .tiles = static_cast<int>(passed / tile_chunks),
          .chunks = static_cast<int>(passed % tile_chunks),
          .outside = chunk < 0 || chunk == ends.chunks ? 1 : 0,
          .row = row};
}

/// What removals take off the states of one term, by polynomials.
struct RemovalFromTerm {
  int terms;
  double a;
  const double* decay;      ///< Terms::decay of the term
  const double* run_decay;  ///< States::run_decay of the term
  double shape[2][parity_coefficients];

  __device__ RemovalFromTerm(const Terms& t, const States& states, int term)
      : terms(t.terms),
        a(states.exponents[term]),
        decay(t.decay + term),
        run_decay(states.run_decay + term) {
#pragma unroll
    for (const Parity parity : {even, odd}) {
      const double2* const of_term = t.shape + (2 * (term / 8) + parity) * 32 + term % 8 * 4;
#pragma unroll
      for (int inner = 0; inner < 4; ++inner) {
        shape[parity][inner] = of_term[inner].x;
        shape[parity][inner + 4] = of_term[inner].y;
      }
    }
  }

  /// `by_tables`: has_table() is known.
  template <bool by_tables>
  __device__ double taken(const Removal& removal) const {
    const double cells = width * static_cast<double>(removal.tiles * tile_chunks + removal.chunks);
    if (!by_tables && removal.outside != 0) {
      return removal.amount * exp(-a * (cells + half_width * removal.x));
    }
    const double passed = by_tables || removal.tiles < run_tiles
                              ? decay[removal.chunks * terms] * run_decay[removal.tiles * terms]
                              : exp(-a * cells);
    const double square = removal.x * removal.x;
    double of_parity[2];
#pragma unroll
    for (const Parity parity : {even, odd}) {
      of_parity[parity] = shape[parity][parity_coefficients - 1];
#pragma unroll
      for (int i = parity_coefficients - 2; i >= 0; --i) {
        of_parity[parity] = fma(of_parity[parity], square, shape[parity][i]);
      }
    }
    return removal.amount * passed * fma(removal.x, of_parity[odd], of_parity[even]);
  }
};

/// The same by exponentials (exponentials.cuh).
struct ExponentialRemovalFromTerm {
  double a;

  __device__ ExponentialRemovalFromTerm(const Terms&, const States& states, int term)
      : a(states.exponents[term]) {}

  template <bool by_tables>
  __device__ double taken(const Removal& removal) const {
    const double cells = width * static_cast<double>(removal.tiles * tile_chunks + removal.chunks);
    return removal.amount * exp(-a * (cells + half_width * removal.x + (half_width + 1.5)));
  }
};

/// Calls use(row, taken) for removals begin .. end - 1 in order; several are computed at once.
template <bool by_tables, class FromTerm, class Use>
__device__ void for_each_taken(const FromTerm& from_term, const Removal* removals, int begin,
                               int end, const Use& use) {
  constexpr int at_once = by_tables ? 4 : 1;
  for (int i = begin; i < end; i += at_once) {
    double taken[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      taken[k] = from_term.template taken<by_tables>(removals[min(i + k, end - 1)]);
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      if (i + k < end) use(removals[i + k].row, taken[k]);
    }
  }
}
template <class FromTerm, class Use>
__device__ void for_each_taken(bool by_tables, const FromTerm& from_term, const Removal* removals,
                               int begin, int end, const Use& use) {
  if (by_tables) {
    for_each_taken<true>(from_term, removals, begin, end, use);
  } else {
    for_each_taken<false>(from_term, removals, begin, end, use);
  }
}

/// The sources that end and leave the states within a tile, those of either side: all that the
/// tile's evaluated chunks see of them there.
struct LeavingInTile {
  std::int64_t first;
  EndLists::Range right, left;

  __device__ LeavingInTile(const EndLists& ends, std::int64_t first_chunk)
      : first(first_chunk),
        right(ends.of_chunks(End::right, first, first + tile_chunks + 1)),
        left(ends.of_chunks(End::left, first - 1, first + tile_chunks)) {}

  __device__ unsigned count() const { return right.size() + left.size(); }
  /// Number i, i < count(): those of the right side come first. Seen row 0 is chunk first - 2.
  template <class Amount>
  __device__ Removal removal(const EndLists& ends, unsigned i) const {
    const bool to_right = i < right.size();
    const EndingDeposit deposit =
        ends.deposits[to_right ? right.begin + i : left.begin + i - right.size()];
    const std::int64_t at = to_right ? (deposit.position + deposit.reach) / width - 2
                                     : (deposit.position - deposit.reach) / width + 2;
    return cuda::removal<Amount>(ends, deposit, to_right, at, static_cast<int>(at - (first - 2)));
  }
};

/// Takes the sources that end off what the seen chunks add to the states, which is in shared memory
/// (exponential_moments()), where the moments stand no longer. A thread takes the sides and terms
/// that are its own in pass_states().
template <class Amount, class FromTerm>
__device__ void remove_in_tile(const Scratch& scratch, const Terms& t, const EndLists& ends,
                               const States& states, const LeavingInTile& leaving) {
  auto* const removals = reinterpret_cast<Removal*>(scratch.moment);
  static_assert(tile_threads * sizeof(Removal) <=
                2 * seen_chunks * parity_coefficients * sizeof(double));
  const auto count = static_cast<int>(leaving.count());
  const auto of_right = static_cast<int>(leaving.right.size());
  for (int first_item = 0; first_item < 2 * t.terms; first_item += tile_threads) {
    const int item = first_item + static_cast<int>(threadIdx.x);
    const bool to_right = item < t.terms;
    const int begin = to_right ? 0 : of_right;
    const int end = to_right ? of_right : item < 2 * t.terms ? count : 0;
    const FromTerm from_term(t, states, item % t.terms);
    double* const added = (to_right ? scratch.right : scratch.left) + item % t.terms;
    int row = -1;
    double of_batch = 0;
    CompensatedSum of_row;
    for (int batch = 0; batch < count; batch += tile_threads) {
      __syncthreads();
      const int mine = batch + static_cast<int>(threadIdx.x);
      Removal removal{};
      if (mine < count) removal = leaving.removal<Amount>(ends, static_cast<unsigned>(mine));
      removals[threadIdx.x] = removal;
      const bool by_tables = __syncthreads_or(!removal.has_table()) == 0;
      for_each_taken(by_tables, from_term, removals, max(begin - batch, 0),
                     min(end - batch, tile_threads), [&](int of_row_number, double taken) {
                       if (of_row_number != row) {
                         of_row.add(of_batch);
                         if (row >= 0) added[row * t.terms] -= of_row.value();
                         row = of_row_number;
                         of_batch = 0;
                         of_row = {};
                       }
                       of_batch += taken;
                     });
      of_row.add(of_batch);
      of_batch = 0;
    }
    if (row >= 0) added[row * t.terms] -= of_row.value();
  }
}

/// Takes the sources that end in a tile's own chunks off what it adds to the states that enter its
/// neighbours: one block for each storm, field, tile and side, a thread for each term; or several
/// groups of such threads, which share long lists. `states` are those of the first storm's
/// energies.
constexpr int most_removal_groups = 8;
constexpr int removals_of_group = 32;
constexpr int most_removal_threads = 768;
template <class FromTerm>
__global__ void __launch_bounds__(most_removal_threads)
    remove_ends_kernel(const Terms t, const EndLists of_storms, const StormList storms, int fields,
                       const States states, int groups) {
  follow_previous();
  const bool to_right = blockIdx.x % 2 == 0;
  const std::int64_t tile = blockIdx.x / 2 % t.tiles;
  const std::int64_t field = blockIdx.x / 2 / t.tiles;  // of all storms
  const bool of_energies = field % fields == 0;
  const std::int64_t storm = field / fields;
  const EndLists ends = of_storms.of_storm(storm, storms.uncertainty[storm]);
  const std::int64_t first = tile * tile_chunks;
  // That of which chunk enters the neighbour: leaving_lane().
  const std::int64_t at = to_right ? first + tile_chunks - 3 : first + 2;
  const EndLists::Range range =
      ends.of_chunks(to_right ? End::right : End::left, first, first + tile_chunks);
  if (range.size() == 0) return;
  const int group_threads = static_cast<int>(blockDim.x) / groups;
  const int group = static_cast<int>(threadIdx.x) / group_threads;
  const int of_group = static_cast<int>(threadIdx.x) % group_threads;
  const int term = min(of_group, t.terms - 1);
  const FromTerm from_term(t, states, term);
  __shared__ Removal removals[most_removal_groups * removals_of_group];
  __shared__ double of_thread[most_removal_threads];
  const int at_once = groups * removals_of_group;
  CompensatedSum sum;
  for (unsigned batch = range.begin; batch < range.end; batch += at_once) {
    const int count = static_cast<int>(min(range.end - batch, static_cast<unsigned>(at_once)));
    bool has_tables = true;
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
      const EndingDeposit deposit = ends.deposits[batch + i];
      removals[i] = of_energies ? removal<std::int64_t>(ends, deposit, to_right, at, 0)
                                : removal<double>(ends, deposit, to_right, at, 0);
      has_tables = has_tables && removals[i].has_table();
    }
    const bool by_tables = __syncthreads_or(!has_tables) == 0;
    double of_batch = 0;
    for_each_taken(by_tables, from_term, removals, group * removals_of_group,
                   min((group + 1) * removals_of_group, count),
                   [&](int, double taken) { of_batch += taken; });
    sum.add(of_batch);
    __syncthreads();
  }
  of_thread[threadIdx.x] = sum.value();
  __syncthreads();
  if (group > 0 || of_group >= t.terms) return;
  double all = 0;
  for (int g = 0; g < groups; ++g) all += of_thread[g * group_threads + of_group];
  states.of_tiles[(2 * (field * t.tiles + tile) + (to_right ? 0 : 1)) * t.terms + term] -= all;
}

}  // namespace bombard::cuda
