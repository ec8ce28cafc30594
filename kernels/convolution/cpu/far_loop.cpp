#include "kernels/convolution/cpu/sweep_loops.hpp"

// The far part: from the states on either side of a chunk to a polynomial, and from it to the
// cells; or, for steep attenuations, from the states to the cells.

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET::convolution {

namespace {

/// Coefficients of the polynomials of a group's chunks, of even powers or of odd ones.
using Coefficients = double[group_chunks][parity_coefficients];

/// Two products of matrices, states of four chunks times tables: even coefficients come from the
/// sums of the states on both sides, odd ones from the differences.
void combine_states(const SweepTables& tables, const BlockStates& states, Coefficients& even,
                    Coefficients& odd) {
  for (int v = 0; v < parity_vectors; ++v) {
    Doubles even_sum[group_chunks] = {}, odd_sum[group_chunks] = {};
    for (std::int64_t t = 0; t < tables.terms; t += line_doubles) {
      const double* const sum = states.sum + place(t, 0);
      const double* const difference = states.difference + place(t, 0);
      const double* const even_rows = tables.even + t * parity_coefficients + v * lanes;
      const double* const odd_rows = tables.odd + t * parity_coefficients + v * lanes;
      for (std::int64_t i = 0; i < line_doubles; ++i) {
        const Doubles even_row = load(even_rows + i * parity_coefficients);
        const Doubles odd_row = load(odd_rows + i * parity_coefficients);
#pragma GCC unroll 4
        for (std::int64_t c = 0; c < group_chunks; ++c) {
          even_sum[c] += sum[c * line_doubles + i] * even_row;
          odd_sum[c] += difference[c * line_doubles + i] * odd_row;
        }
      }
    }
    for (std::int64_t c = 0; c < group_chunks; ++c) {
      store(even_sum[c], even[c] + v * lanes);
      store(odd_sum[c], odd[c] + v * lanes);
    }
  }
}

/// x of the first cells behind a chunk's middle.
template <std::size_t... i>
[[gnu::always_inline]] inline Doubles first_places(std::index_sequence<i...>) {
  return Doubles{((i + 0.5) * (2.0 / chunk_cells))...};
}

/// Cells 32 + j and 31 - j of a chunk are at x and -x: the even part is the same for both, the odd
/// part has the other sign.
[[gnu::always_inline]] inline void evaluate(const double* even, const double* odd, double* sums) {
  constexpr int half = chunk_vectors / 2;
  const Doubles first = first_places(std::make_index_sequence<lanes>());
#pragma GCC unroll 4
  for (int v = 0; v < half; ++v) {
    const Doubles x = first + v * lanes * (2.0 / chunk_cells);
    const Doubles y = x * x;
    constexpr int last = parity_coefficients - 1;
    Doubles e = y * even[last] + even[last - 1];
    Doubles o = y * odd[last] + odd[last - 1];
#pragma GCC unroll 8
    for (int i = last - 2; i >= 0; --i) {
      e = e * y + even[i];
      o = o * y + odd[i];
    }
    store(e + x * o, sums + (half + v) * lanes);
    store(backwards(e - x * o), sums + (half - 1 - v) * lanes);
  }
}

/// One vector of places in each chunk of a group, counted from the states towards the middle: what
/// A brings to cells j, and B to their mirror images 63 - j.
void far_sums_of_places(const SweepTables& tables, const BlockStates& states, std::int64_t first,
                        double* from_left, double* from_right) {
  Doubles left_sums[group_chunks] = {}, right_sums[group_chunks] = {};
  for (std::int64_t t = 0; t < tables.terms; t += line_doubles) {
    const double* const left = states.sum + place(t, 0);
    const double* const right = states.difference + place(t, 0);
    for (std::int64_t i = 0; i < line_doubles; ++i) {
      const Doubles row = load(tables.target + (t + i) * chunk_cells + first);
#pragma GCC unroll 4
      for (std::int64_t c = 0; c < group_chunks; ++c) {
        left_sums[c] += left[c * line_doubles + i] * row;
        right_sums[c] += right[c * line_doubles + i] * row;
      }
    }
  }
  for (std::int64_t c = 0; c < group_chunks; ++c) {
    store(left_sums[c], from_left + c * chunk_cells + first);
    store(backwards(right_sums[c]), from_right + (c + 1) * chunk_cells - lanes - first);
  }
}

/// Every exponential in every cell: all that is added has the sign of its source, and rounds
/// relative to the share that it becomes.
void far_sums_exactly(const SweepTables& tables, const BlockStates& states, double* sums) {
  alignas(64) double from_right[group_cells];
  for (std::int64_t j = 0; j < chunk_cells; j += lanes) {
    far_sums_of_places(tables, states, j, sums, from_right);
  }
  for (std::int64_t i = 0; i < group_cells; i += lanes) {
    store(load(sums + i) + load(from_right + i), sums + i);
  }
}

}  // namespace

void far_sums(const SweepTables& tables, const BlockStates& states, double* sums) {
  if (tables.target != nullptr) {
    far_sums_exactly(tables, states, sums);
    return;
  }
  alignas(64) Coefficients even, odd;
  combine_states(tables, states, even, odd);
  for (std::int64_t c = 0; c < group_chunks; ++c) evaluate(even[c], odd[c], sums + c * chunk_cells);
}

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET::convolution
