#include "kernels/convolution/cpu/sweep_loops.hpp"

// The far part: from the states on either side of a chunk to a polynomial, and from it to the
// cells; or, for steep attenuations, directly from the states to the cells.

namespace bombard::cpu::convolution {

namespace {

/// One vector for each chunk of a group.
using GroupVectors = Doubles[group_chunks];

/// A column, as wide as a vector, of two matrix products: the states of four chunks, their sums and
/// their differences, each times a table of [term] rows of `width` numbers.
[[gnu::always_inline]] inline void multiply(std::int64_t terms, const BlockStates& states,
                                            const double* sum_rows, const double* difference_rows,
                                            std::int64_t width, GroupVectors& sums,
                                            GroupVectors& differences) {
  for (std::int64_t t = 0; t < terms; t += line_doubles) {
    const double* const sum = states.sum + place(t, 0);
    const double* const difference = states.difference + place(t, 0);
    for (std::int64_t i = 0; i < line_doubles; ++i) {
      const Doubles sum_row = load(sum_rows + (t + i) * width);
      const Doubles difference_row = load(difference_rows + (t + i) * width);
#pragma GCC unroll 4
      for (std::int64_t c = 0; c < group_chunks; ++c) {
        sums[c] += sum[c * line_doubles + i] * sum_row;
        differences[c] += difference[c * line_doubles + i] * difference_row;
      }
    }
  }
}

/// The x of the first cells after a chunk's middle.
template <std::size_t... i>
[[gnu::always_inline]] inline Doubles first_places(std::index_sequence<i...>) {
  return Doubles{((i + 0.5) * (2.0 / chunk_cells))...};
}

/// Cells 32 + j and 31 - j of a chunk are at x and -x: the even part is the same for both, and the
/// odd part has opposite signs.
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

/// Evaluates every exponential in every cell, from the states towards the middle: what A brings to
/// cells j, and B to their mirror images 63 - j. Everything added has the sign of its source, so
/// its roundings are relative to the share that it becomes.
void far_sums_exactly(const SweepTables& tables, const BlockStates& states, double* sums) {
  alignas(64) double from_right[group_cells];
  for (std::int64_t j = 0; j < chunk_cells; j += lanes) {
    alignas(sizeof(Doubles)) GroupVectors left = {}, right = {};
    multiply(tables.terms, states, tables.target + j, tables.target + j, chunk_cells, left, right);
    for (std::int64_t c = 0; c < group_chunks; ++c) {
      store(left[c], sums + c * chunk_cells + j);
      store(backwards(right[c]), from_right + (c + 1) * chunk_cells - lanes - j);
    }
  }
  for (std::int64_t i = 0; i < group_cells; i += lanes) {
    store(load(sums + i) + load(from_right + i), sums + i);
  }
}

}  // namespace

/// The polynomials' even coefficients come from the sums of the states on both sides, the odd ones
/// from the differences.
void far_sums(const SweepTables& tables, const BlockStates& states, double* sums) {
  if (tables.target != nullptr) return far_sums_exactly(tables, states, sums);
  alignas(64) double even[group_chunks][parity_coefficients],
      odd[group_chunks][parity_coefficients];
  for (std::int64_t i = 0; i < parity_coefficients; i += lanes) {
    alignas(sizeof(Doubles)) GroupVectors of_sums = {}, of_differences = {};
    multiply(tables.terms, states, tables.even + i, tables.odd + i, parity_coefficients, of_sums,
             of_differences);
    for (std::int64_t c = 0; c < group_chunks; ++c) {
      store(of_sums[c], even[c] + i);
      store(of_differences[c], odd[c] + i);
    }
  }
  for (std::int64_t c = 0; c < group_chunks; ++c) evaluate(even[c], odd[c], sums + c * chunk_cells);
}

}  // namespace bombard::cpu::convolution
