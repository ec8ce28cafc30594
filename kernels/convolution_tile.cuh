#pragma once

// A tile of the convolution, which a block takes (docs/methods.md, The convolution). Nothing here
// is the rule's arithmetic: how sums are rounded is within the proven error, so products and sums
// are fused.

#include <cstdint>

#include "kernels/convolution_shape.cuh"
#include "kernels/convolution_states.cuh"
#include "kernels/matrix_fragment.cuh"

namespace bombard::cuda {

/// Between chunks in shared memory: with it pairs of a matrix fragment's rows lie in different
/// banks.
inline constexpr int pitch = width + 8;
inline constexpr int values_size = evaluated_chunks * pitch;

/// Shared memory of a block, in doubles.
struct Scratch {
  std::uint64_t* mask;  ///< [seen_chunks]
  double* strength;     ///< [seen_chunks][pitch]
  double* moment;       ///< [parity][seen_chunks][coefficients]: sum of strength * x^i
  double* polynomial;   ///< the same of the evaluated chunks; takes the place of the moments
  double* half_near;    ///< [near_size]
  double* right;        ///< [seen_chunks][terms]: first moments, then states
  double* left;

  // When all sums are there, the memory serves again.
  double* value;        ///< [evaluated_chunks][pitch]
  double* uncertainty;  ///< the same

  /// For one field of sums, or two with the uncertainties.
  static constexpr std::int64_t size(int terms, int fields) {
    const std::int64_t tables = 2 * seen_chunks * (std::int64_t{terms} + coefficients) + near_size;
    const std::int64_t values = std::int64_t{fields} * values_size;
    return seen_chunks * (pitch + 1) + (tables > values ? tables : values);
  }
  __device__ Scratch(double* memory, int terms)
      : mask(reinterpret_cast<std::uint64_t*>(memory)),
        strength(memory + seen_chunks),
        moment(strength + seen_chunks * pitch),
        polynomial(moment),
        half_near(moment + 2 * seen_chunks * coefficients),
        right(half_near + near_size),
        left(right + seen_chunks * terms),
        value(moment),
        uncertainty(value + values_size) {}
};

/// How many impacts a tile sees.
enum class Impacts { none, few, many };

/// The mask of seen chunk `row`, of those first - 2 .. first + tile_chunks + 1; 0 where there is
/// none.
__device__ inline std::uint64_t mask_of_chunk(const std::uint64_t* masks, std::int64_t first,
                                              std::int64_t chunks, int row) {
  const std::int64_t chunk = first - 2 + row;
  return row < seen_chunks && chunk >= 0 && chunk < chunks ? masks[chunk] : 0;
}

/// Whether there are impacts; all threads take part, and know the masks then.
__device__ inline bool share_masks(std::uint64_t mask, std::uint64_t* shared) {
  if (threadIdx.x < seen_chunks) shared[threadIdx.x] = mask;
  return __syncthreads_or(mask != 0) != 0;
}

/// Two neighbouring amounts, by one load if one of their bits in `hit` is set.
template <class Amount>
struct alignas(2 * sizeof(Amount)) TwoAmounts {
  Amount first, second;

  __device__ static TwoAmounts load(const Amount* amount, unsigned hit) {
    TwoAmounts two{};
    if (hit != 0) two = *reinterpret_cast<const TwoAmounts*>(amount);
    return two;
  }
  /// Those whose bits are set.
  __device__ double2 strengths(unsigned hit) const {
    return {(hit & 1) != 0 ? static_cast<double>(first) : 0.0,
            (hit & 2) != 0 ? static_cast<double>(second) : 0.0};
  }
};

/// Loads the impacts of the seen chunks, of which there are some. All threads take part.
template <class Amount>
__device__ Impacts load_sources(const Scratch& scratch, const SourceArray<Amount>& sources,
                                std::int64_t first, std::uint64_t mask) {
  constexpr int few_in_a_chunk = 1;
  constexpr int rows_at_once = 2 * tile_threads / width;
  constexpr int steps = seen_chunks / rows_at_once;
  const int column = static_cast<int>(threadIdx.x) % half_width * 2;
  const int first_row = static_cast<int>(threadIdx.x) / half_width;
  unsigned hit[steps];
  const Amount* amount[steps];
  TwoAmounts<Amount> amounts[steps];
#pragma unroll
  for (int step = 0; step < steps; ++step) {
    const int row = first_row + step * rows_at_once;
    hit[step] = static_cast<unsigned>(scratch.mask[row] >> column & 3);
    amount[step] = hit[step] != 0 ? sources.of_chunk(first - 2 + row) + column : nullptr;
  }
#pragma unroll
  for (int step = 0; step < steps; ++step) {
    amounts[step] = TwoAmounts<Amount>::load(amount[step], hit[step]);
  }
#pragma unroll
  for (int step = 0; step < steps; ++step) {
    const int row = first_row + step * rows_at_once;
    *reinterpret_cast<double2*>(scratch.strength + row * pitch + column) =
        amounts[step].strengths(hit[step]);
  }
  const int full = __syncthreads_count(__popcll(mask) > few_in_a_chunk);
  return full > seen_chunks / 2 ? Impacts::many : Impacts::few;
}

/// Writes the coefficients of one parity of sixteen rows, [parity][row][coefficient].
__device__ inline void store(const double (&sum)[2][2], int first, int parity,
                             double* coefficient) {
  const Fragment at;
#pragma unroll
  for (int eight = 0; eight < 2; ++eight) {
    const int row = first + 8 * eight + at.row;
    double* const to = coefficient + (parity * seen_chunks + row) * coefficients + at.column;
    *reinterpret_cast<double2*>(to) = {sum[eight][0], sum[eight][1]};
  }
}

/// What a warp takes of a tile's polynomials in x, or of its moments: sixteen rows, one parity.
struct SixteenRows {
  int first, parity;

  __device__ SixteenRows()
      : first(static_cast<int>(threadIdx.x) / 64 * 16),
        parity(static_cast<int>(threadIdx.x) / 32 % 2) {}
};
static_assert(seen_chunks == 32 && tile_warps == 4);

/// moment[c][i] = sum over the cells j of chunk c of strength * x_j^i: the cells j and 63 - j,
/// where x differs in its sign only, are added for even powers and subtracted for odd ones. A warp
/// takes sixteen chunks, `first` and those behind it, and so many parities from `parity` on;
/// strengths(eight, j) are the cells j and j + 1, j even, of the lane's chunk of the first eight or
/// of the others.
template <int parities, class Strengths>
__device__ void chunk_moments(const double2* powers, int first, int parity,
                              const Strengths& strengths, double* moment) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const Fragment at;
  double sum[parities][2][2] = {};
#pragma unroll
  for (int eighth = 0; eighth < half_width / 8; ++eighth) {
    const int j = 8 * eighth + 2 * at.inner;
    double2 here[2];
    double2 mirrored[2];
#pragma unroll
    for (int eight = 0; eight < 2; ++eight) {
      here[eight] = strengths(eight, j);
      mirrored[eight] = strengths(eight, width - 2 - j);
    }
#pragma unroll
    for (int p = 0; p < parities; ++p) {
      const double sign = parity + p == even ? 1 : -1;
      double a[2][2];
#pragma unroll
      for (int eight = 0; eight < 2; ++eight) {
        a[eight][0] = fma(sign, mirrored[eight].y, here[eight].x);
        a[eight][1] = fma(sign, mirrored[eight].x, here[eight].y);
      }
      const double2 power = powers[(2 * eighth + parity + p) * 32 + lane];
      multiply_add(a[0], a[1], {power.x, power.y}, sum[p][0], sum[p][1]);
    }
  }
#pragma unroll
  for (int p = 0; p < parities; ++p) store(sum[p], first, parity + p, moment);
}

/// A chunk's moments as matrix fragments have them, [parity][half of the powers].
struct MomentFragment {
  double of[2][2];

  __device__ MomentFragment(const double* moment, int row) {
    const Fragment at;
#pragma unroll
    for (const Parity parity : {even, odd}) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        of[parity][half] =
            moment[(parity * seen_chunks + row) * coefficients + 4 * half + at.inner];
      }
    }
  }
};
static_assert(coefficients == 8);

/// What chunks add to the states of two terms, 8 term_block + at.column on, from their moments: to
/// those on their way to the right sum of strength * exp(32 a x), to those on their way to the left
/// sum of strength * exp(-32 a x). A warp takes eight and eight more chunks.
__device__ inline void exponential_moments(const double2* shape, const MomentFragment (&moment)[2],
                                           int term_block, double2 (&right)[2],
                                           double2 (&left)[2]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  double sum[2][2][2] = {};  // [parity][eight][i]
#pragma unroll
  for (const Parity parity : {even, odd}) {
    const double2 power = shape[(2 * term_block + parity) * 32 + lane];
    multiply_add(moment[0].of[parity], moment[1].of[parity], {power.x, power.y}, sum[parity][0],
                 sum[parity][1]);
  }
#pragma unroll
  for (int eight = 0; eight < 2; ++eight) {
    const double(&of_even)[2] = sum[even][eight];
    const double(&of_odd)[2] = sum[odd][eight];
    right[eight] = {of_even[0] - of_odd[0], of_even[1] - of_odd[1]};
    left[eight] = {of_even[0] + of_odd[0], of_even[1] + of_odd[1]};
  }
}

/// What lies outside the layer is in the chunks beside it: in place of what they add to two terms.
template <class Amount>
__device__ void add_outside(const Terms& t, const SourceArray<Amount>& sources, std::int64_t chunk,
                            int term, double2& right, double2& left) {
  const double* const outside = sources.outside + term;
  if (chunk == -1) right = {outside[0], outside[1]};
  if (chunk == t.chunks) left = {outside[t.terms], outside[t.terms + 1]};
}

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

/// Polynomials of the evaluated chunks, [parity][seen_chunks][coefficients]: even powers from the
/// sum of the states from both sides, odd ones from their difference.
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

/// A number for each of a thread's cells: in rows 8 block + row of the evaluated chunks two cells
/// from column 8 warp + column on, and two mirrored at the middle of the chunk; both pairs in the
/// order of the cells.
struct OfCells {
  double of[row_blocks][2][2];  // [block][mirrored][cell]
};

/// Calls use(numbers' block, mirrored, row, column) for the thread's pairs of cells that the tile
/// needs: of the chunks beside its own only the two next to it.
template <class Use>
__device__ void for_each_pair(const Use& use) {
  const Fragment at;
  const int column = static_cast<int>(threadIdx.x) / 32 * 8 + at.column;
#pragma unroll
  for (int block = 0; block < row_blocks; ++block) {
    const int row = 8 * block + at.row;
#pragma unroll
    for (int mirrored = 0; mirrored < 2; ++mirrored) {
      const int first = mirrored ? width - 2 - column : column;
      const bool own = row > 0 && row < evaluated_chunks - 1;
      const bool beside =
          (row == 0 && first == width - halo) || (row == evaluated_chunks - 1 && first == 0);
      if ((block > 0 && block < row_blocks - 1) || own || beside) use(block, mirrored, row, first);
    }
  }
}

/// The parts of a sum that are even and odd about the middle of a chunk: in rows 8 block + row two
/// columns each.
struct Parts {
  double of[row_blocks][2][2];  // [block][parity][i]

  /// Adds the product of all rows with eight inner ones.
  __device__ void multiply_add(const double (&a)[row_blocks][2], const double (&b)[2],
                               Parity parity) {
#pragma unroll
    for (int block = 0; block < row_blocks; block += 2) {
      cuda::multiply_add(a[block], a[block + 1], b, of[block][parity], of[block + 1][parity]);
    }
  }

  __device__ OfCells cells() const {
    OfCells cells;
#pragma unroll
    for (int block = 0; block < row_blocks; ++block) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        cells.of[block][0][i] = of[block][even][i] + of[block][odd][i];
        cells.of[block][1][1 - i] = of[block][even][i] - of[block][odd][i];
      }
    }
    return cells;
  }
};

/// The values of the polynomials in the thread's cells.
__device__ inline Parts values_of(const double* polynomial, const Terms& t) {
  static_assert(tile_warps * 8 == half_width);
  const Fragment at;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  Parts sum{};
#pragma unroll
  for (const Parity parity : {even, odd}) {
    const double2 power = t.cells[(2 * warp + parity) * 32 + lane];
    double a[row_blocks][2];
#pragma unroll
    for (int block = 0; block < row_blocks; ++block) {
      const int row = parity * seen_chunks + 8 * block + at.row;
      a[block][0] = polynomial[row * coefficients + at.inner];
      a[block][1] = polynomial[row * coefficients + 4 + at.inner];
    }
    sum.multiply_add(a, {power.x, power.y}, parity);
  }
  return sum;
}

/// The sums of one field in the thread's cells. Cell j of evaluated chunk k meets the impacts of
/// the chunk and its neighbours at p = 0 .. 3 width - 1, counted from the first of those chunks,
/// whose distance is j + width - p.
template <class Amount>
__device__ OfCells evaluate(const Scratch& scratch, const Terms& t,
                            const SourceArray<Amount>& sources, const States& states,
                            std::int64_t tile, const Ahead& ahead) {
  const std::int64_t first_chunk = tile * tile_chunks;
  Impacts impacts = Impacts::none;
  if (share_masks(ahead.mask, scratch.mask)) {
    double half_near[near_size / tile_threads];
#pragma unroll
    for (int i = 0; i < near_size / tile_threads; ++i) {
      half_near[i] = t.half_near[threadIdx.x + i * tile_threads];
    }
    impacts = load_sources(scratch, sources, first_chunk, ahead.mask);
    const SixteenRows part;
    const double* const strength = scratch.strength + (part.first + Fragment().row) * pitch;
    const auto strengths = [&](int eight, int j) {
      return *reinterpret_cast<const double2*>(strength + 8 * eight * pitch + j);
    };
    chunk_moments<1>(t.powers, part.first, part.parity, strengths, scratch.moment);
#pragma unroll
    for (int i = 0; i < near_size / tile_threads; ++i) {
      scratch.half_near[threadIdx.x + i * tile_threads] = half_near[i];
    }
    __syncthreads();
  }
  if (impacts == Impacts::none && !t.at_end(first_chunk)) {
    quiet_polynomials(t, states, tile, ahead, scratch.right, scratch.polynomial);
  } else {
    if (impacts == Impacts::none) {
      for (int i = threadIdx.x; i < 2 * seen_chunks * coefficients; i += tile_threads) {
        scratch.moment[i] = 0;
      }
      __syncthreads();
    }
    exponential_moments(scratch, t, sources, first_chunk);
    __syncthreads();
    pass_states(scratch, t, states, tile, ahead);
    __syncthreads();
    polynomials(scratch, t);
  }
  __syncthreads();

  Parts sum = values_of(scratch.polynomial, t);
  const Fragment at;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  if (impacts == Impacts::many) {
    // All impacts, set or not. Those at p and 3 width - 1 - p are added, and the attenuation from
    // both, for the even part, and subtracted for the odd one.
    const double* const near = scratch.half_near + 3 * width + 8 * warp + at.row - 2 * at.inner;
    const double* const mirrored_near = near + 4 * at.inner - (3 * width - 1);
    const double* strength[row_blocks];
#pragma unroll
    for (int block = 0; block < row_blocks; ++block) {
      strength[block] = scratch.strength + min(8 * block + at.row, evaluated_chunks - 1) * pitch;
    }
#pragma unroll
    for (int step = 0; step < 3 * half_width / 4; step += 2) {
      const int chunk = 4 * step / width;
      const int j = 4 * step % width + 2 * at.inner;
      const double first[2] = {near[-4 * step], near[-4 * step - 1]};
      const double last[2] = {mirrored_near[4 * step], mirrored_near[4 * step + 1]};
      double of_even[row_blocks][2];
      double of_odd[row_blocks][2];
#pragma unroll
      for (int block = 0; block < row_blocks; ++block) {
        const auto one = *reinterpret_cast<const double2*>(strength[block] + chunk * pitch + j);
        const auto other = *reinterpret_cast<const double2*>(strength[block] + (2 - chunk) * pitch +
                                                             width - 2 - j);
        of_even[block][0] = one.x + other.y;
        of_even[block][1] = one.y + other.x;
        of_odd[block][0] = one.x - other.y;
        of_odd[block][1] = one.y - other.x;
      }
      sum.multiply_add(of_even, {first[0] + last[0], first[1] + last[1]}, even);
      sum.multiply_add(of_odd, {first[0] - last[0], first[1] - last[1]}, odd);
    }
  }
  OfCells cells = sum.cells();
  if (impacts == Impacts::few) {
    const double* const near[2] = {scratch.half_near + 3 * width + 8 * warp + at.column,
                                   scratch.half_near + 4 * width - 2 - 8 * warp - at.column};
#pragma unroll
    for (int block = 0; block < row_blocks; ++block) {
      const int first = min(8 * block + at.row, evaluated_chunks - 1);
      for (int row = 0; row < 3; ++row) {
        for (std::uint64_t mask = scratch.mask[first + row]; mask != 0; mask &= mask - 1) {
          const int j = __ffsll(static_cast<long long>(mask)) - 1;
          const int p = row * width + j;
          const double twice = 2 * scratch.strength[(first + row) * pitch + j];
#pragma unroll
          for (int i = 0; i < 2; ++i) {
            cells.of[block][0][i] = fma(twice, near[0][i - p], cells.of[block][0][i]);
            cells.of[block][1][i] = fma(twice, near[1][i - p], cells.of[block][1][i]);
          }
        }
      }
    }
  }
  return cells;
}

}  // namespace bombard::cuda
