#pragma once

// The far part of a tile's sums, which a block computes: polynomials of its chunks from what enters
// the tile and what lies in it (docs/methods.md, The convolution).

#include <cstdint>

#include "kernels/convolution/cuda/matrix_fragment.cuh"
#include "kernels/convolution/cuda/moments.cuh"
#include "kernels/convolution/cuda/shape.cuh"
#include "kernels/convolution/cuda/states.cuh"

namespace bombard::cuda {

/// Between chunks in shared memory: with it pairs of a matrix fragment's rows lie in different
/// banks.
inline constexpr int pitch = width + 8;
inline constexpr int values_size = evaluated_chunks * pitch;

/// Shared memory of a block, in doubles.
struct Scratch {
  std::uint64_t* mask;  ///< [seen_chunks]
  double* strength;     ///< [seen_chunks][pitch]
  double* moment;       ///< [parity][seen_chunks][parity_coefficients]: sum of strength * x^i
  double* polynomial;   ///< the same of the evaluated chunks; takes the place of the moments
  double* half_near;    ///< [near_size]
  double* right;        ///< [seen_chunks][terms]: first moments, then states
  double* left;

  // When all sums are there, the memory serves again.
  double* value;        ///< [evaluated_chunks][pitch]
  double* uncertainty;  ///< the same

  /// For one field of sums, or two with the uncertainties.
  static constexpr std::int64_t size(int terms, int fields) {
    const std::int64_t tables =
        2 * seen_chunks * (std::int64_t{terms} + parity_coefficients) + near_size;
    const std::int64_t values = std::int64_t{fields} * values_size;
    return seen_chunks * (pitch + 1) + (tables > values ? tables : values);
  }
  __device__ Scratch(double* memory, int terms)
      : mask(reinterpret_cast<std::uint64_t*>(memory)),
        strength(memory + seen_chunks),
        moment(strength + seen_chunks * pitch),
        polynomial(moment),
        half_near(moment + 2 * seen_chunks * parity_coefficients),
        right(half_near + near_size),
        left(right + seen_chunks * terms),
        value(moment),
        uncertainty(value + values_size) {}
};

/// The moments of all seen chunks and terms, in shared memory.
template <class Amount>
__device__ void exponential_moments(const Scratch& scratch, const Terms& t,
                                    const SourceArray<Amount>& sources, std::int64_t first) {
  const Fragment at;
  const bool at_end = t.at_end(first);
  for (int term_block = static_cast<int>(threadIdx.x) / 32; 8 * term_block < t.terms;
       term_block += tile_warps) {
    const int term = 8 * term_block + at.column;
#pragma unroll 1  // registers are scarce
    for (int row = at.row; row < seen_chunks; row += 16) {
      const MomentFragment moment[2] = {{scratch.moment, row}, {scratch.moment, row + 8}};
      double2 right[2];
      double2 left[2];
      exponential_moments(t.shape, moment, term_block, right, left);
      if (term >= t.terms) continue;
#pragma unroll
      for (int eight = 0; eight < 2; ++eight) {
        const int own = row + 8 * eight;
        if (at_end) add_outside(t, sources, first - 2 + own, term, right[eight], left[eight]);
        *reinterpret_cast<double2*>(scratch.right + own * t.terms + term) = right[eight];
        *reinterpret_cast<double2*>(scratch.left + own * t.terms + term) = left[eight];
      }
    }
  }
}

/// What a tile waits for first, so asked for before all else: the mask of the thread's seen chunk,
/// and what enters the tile, of the thread's first side and term (States::ask).
struct Ahead {
  std::uint64_t mask;
  States::Asked state;

  __device__ Ahead(const Terms& t, const std::uint64_t* masks, const States& states,
                   std::int64_t tile)
      : mask(mask_of_chunk(masks, tile * tile_chunks, t.chunks, static_cast<int>(threadIdx.x))),
        state(static_cast<int>(threadIdx.x) < 2 * t.terms
                  ? states.ask(tile, static_cast<int>(threadIdx.x))
                  : States::Asked{}) {}
};

/// Calls use(item, state) for the thread's sides and terms with what enters the tile.
template <class Use>
__device__ void for_each_state(const States& states, std::int64_t tile, const Ahead& ahead,
                               const Use& use) {
  for (int item = threadIdx.x; item < 2 * states.terms; item += tile_threads) {
    const States::Asked asked = item < tile_threads ? ahead.state : states.ask(tile, item);
    use(item, states.entering(tile, item, asked));
  }
}

/// States at the evaluated chunks: those that enter the tile pass over its chunks, in place of the
/// moments. `right` of evaluated chunk k is at row k then, `left` at row k + 2.
__device__ inline void pass_states(const Scratch& scratch, const Terms& t, const States& states,
                                   std::int64_t tile, const Ahead& ahead) {
  for_each_state(states, tile, ahead, [&](int item, double state) {
    const int term = item % t.terms;
    const bool to_right = item < t.terms;
    const double decay = t.decay[t.terms + term];
    double* here =
        to_right ? scratch.right + term : scratch.left + (seen_chunks - 1) * t.terms + term;
    const int step = to_right ? t.terms : -t.terms;
#pragma unroll 2
    for (int c = 0; c < evaluated_chunks; ++c, here += step) {
      const double added = *here;
      *here = state;
      state = fma(state, decay, added);
    }
  });
}

/// Polynomials of the evaluated chunks, [parity][seen_chunks][parity_coefficients]: even powers
/// from the sum of the states from both sides, odd ones from their difference.
__device__ inline void polynomials(const Scratch& scratch, const Terms& t) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const Fragment at;
  const SixteenRows part;
  const double sign = part.parity == even ? 1 : -1;
  const int row = part.first + at.row;
  const int rows[2] = {row, min(row + 8, evaluated_chunks - 1)};
  const auto both = [&](int eight, int term) {
    const int chunk = rows[eight];
    return fma(sign, scratch.left[(chunk + 2) * t.terms + term],
               scratch.right[chunk * t.terms + term]);
  };
  const double2* const target = t.target + part.parity * 32 + lane;
  double sum[2][2] = {};
  const int eights = t.terms / 8;
#pragma unroll 3
  for (int eighth = 0; eighth < eights; ++eighth) {
    const int term = 8 * eighth + at.inner;
    const double2 power = target[2 * eighth * 32];
    multiply_add({both(0, term), both(0, term + 4)}, {both(1, term), both(1, term + 4)},
                 {power.x, power.y}, sum[0], sum[1]);
  }
  const double power = target[2 * eights * 32].x;
#pragma unroll
  for (int eight = 0; eight < 2; ++eight) {  // four terms are left
    multiply_add(both(eight, 8 * eights + at.inner), power, sum[eight]);
  }
  store(sum, part.first, part.parity, scratch.polynomial);
}

/// The same where nothing is added to the states that enter the tile. `state` is room for them,
/// [side][8 eights_of(terms)].
__device__ inline void quiet_polynomials(const Terms& t, const States& states, std::int64_t tile,
                                         const Ahead& ahead, double* state, double* polynomial) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const Fragment at;
  const SixteenRows part;
  const int eights = eights_of(t.terms);
  const int filled = 8 * eights - t.terms;
  for_each_state(states, tile, ahead, [&](int item, double entering) {
    state[item < t.terms ? item : item + filled] = entering;
  });
  if (threadIdx.x < filled) {
    state[t.terms + threadIdx.x] = 0;
    state[8 * eights + t.terms + threadIdx.x] = 0;
  }
  __syncthreads();
  double of_side[2][2][2] = {};  // [side][eight][i]
#pragma unroll 2
  for (int eighth = 0; eighth < eights; ++eighth) {
    const double2 power = t.target[(2 * eighth + part.parity) * 32 + lane];
#pragma unroll
    for (int side = 0; side < 2; ++side) {
      const double* const own = state + 8 * (side * eights + eighth) + at.inner;
      const double2* const passed =
          t.passed + ((2 * eighth + side) * row_blocks + part.first / 8) * 32 + lane;
      const double2 top = passed[0];
      const double2 bottom = passed[32];
      multiply_add({top.x, top.y}, {bottom.x, bottom.y}, {own[0] * power.x, own[4] * power.y},
                   of_side[side][0], of_side[side][1]);
    }
  }
  const double sign = part.parity == even ? 1 : -1;
  double sum[2][2];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    sum[i / 2][i % 2] = fma(sign, of_side[1][i / 2][i % 2], of_side[0][i / 2][i % 2]);
  }
  store(sum, part.first, part.parity, polynomial);
}

}  // namespace bombard::cuda
