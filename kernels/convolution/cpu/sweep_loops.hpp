#pragma once

#include <cstddef>
#include <utility>

#include "kernels/base/vector.hpp"
#include "kernels/convolution/cpu/sweep.hpp"

/// The loops of the sweep, with a file for each subject. Nothing here is the rule's arithmetic: the
/// proven error allows for any rounding of the sums, so products and sums may be fused
/// (CMakeLists.txt).
namespace bombard::cpu::convolution {

// Vectors of one register: GCC keeps longer ones in memory, which is up to 18 times slower.
using Doubles = Vector<double, vector_bytes>;
using Integers = Vector<std::int64_t, vector_bytes>;
using Floats = Vector<float, vector_bytes / 2>;
inline constexpr int lanes = vector_bytes / sizeof(double);
/// The number of vectors that hold a chunk's cells.
inline constexpr int chunk_vectors = chunk_cells / lanes;

[[gnu::always_inline]] inline Doubles load(const double* from) {
  return *reinterpret_cast<const Doubles*>(from);
}
[[gnu::always_inline]] inline void store(Doubles values, double* to) {
  *reinterpret_cast<Doubles*>(to) = values;
}
[[gnu::always_inline]] inline void store(Floats values, float* to) {
  *reinterpret_cast<Floats*>(to) = values;
}

template <std::size_t... i>
[[gnu::always_inline]] inline Doubles backwards(Doubles v, std::index_sequence<i...>) {
  return __builtin_shufflevector(v, v, (lanes - 1 - i)...);
}
/// The same elements, the last one first.
[[gnu::always_inline]] inline Doubles backwards(Doubles v) {
  return backwards(v, std::make_index_sequence<lanes>());
}

/// exp(-x) for x >= 0, off by less than 2 roundings; 0 where it is below the normal numbers of
/// binary64. x = n ln 2 + r, |r| <= ln 2 / 2, and exp(-r) is a Taylor polynomial whose remainder is
/// 4e-18 (W. J. Cody, W. Waite, "Software Manual for the Elementary Functions", 1980).
[[gnu::always_inline]] inline Doubles decay(Doubles x) {
  constexpr double largest = 708;
  constexpr double integer_digits_last = 0x1.8p52;  // a sum with it ends with the digits of n
  constexpr double upper_ln2 = 0x1.62e42feep-1, lower_ln2 = 0x1.a39ef35793c76p-33;
  constexpr double per_ln2 = 0x1.71547652b82fep0;
  constexpr double odd[] = {-1.0 / 6227020800, -1.0 / 39916800, -1.0 / 362880,
                            -1.0 / 5040,       -1.0 / 120,      -1.0 / 6};
  constexpr double even[] = {1.0 / 479001600, 1.0 / 3628800, 1.0 / 40320, 1.0 / 720, 1.0 / 24, 0.5};
  const Doubles shifted = x * per_ln2 + integer_digits_last;
  const Doubles n = shifted - integer_digits_last;
  const Doubles r = (x - n * upper_ln2) - n * lower_ln2;
  const Doubles square = r * r;
  Doubles of_odd = {}, of_even = {};  // side by side, because each waits for its step before
  for (int i = 0; i < 6; ++i) {
    of_odd = of_odd * square + odd[i];
    of_even = of_even * square + even[i];
  }
  const Doubles sum = (of_odd * r + of_even) * square - r + 1;
  constexpr std::int64_t exponent_of_1 = 1023;
  constexpr int exponent_begins = 52;
  const Integers power =
      (exponent_of_1 << exponent_begins) - (reinterpret_cast<Integers>(shifted) << exponent_begins);
  const Doubles result = sum * reinterpret_cast<Doubles>(power);
  return reinterpret_cast<Doubles>(reinterpret_cast<Integers>(result) & (x < largest));
}

/// Used instead of std::min, which the linker could share (kernels/convolution/cpu/sweep.hpp).
[[gnu::always_inline]] constexpr std::int64_t smaller(std::int64_t a, std::int64_t b) {
  return a < b ? a : b;
}

/// The row of the moments for a source at offset j of its chunk, which is chunk_cells - j + 1 from
/// the next state to the right, and j + 2 from the next one to the left.
constexpr std::int64_t row_of(Towards side, std::int64_t offset) {
  return side == to_right ? chunk_cells - 1 - offset : offset;
}

// states_loop.cpp
/// Finds the states after all chunks of a block, and the one before its first chunk.
void enter_block(const Sweep& sweep, const Field& field, std::int64_t block,
                 const BlockStates& states);
/// Writes the sums and differences of the states on either side of each chunk of the group that
/// begins with `chunk`, or the states themselves if polynomials are not used. Moves the state
/// before the group on to the next group.
void meet_group(const Sweep& sweep, const Field& field, std::int64_t chunk,
                const BlockStates& states);
/// Where the sum and the difference for a term and a chunk of a group are: line by line, so that
/// those of the chunks are close together, [line of terms][chunk][term of the line].
constexpr std::int64_t place(std::int64_t term, std::int64_t chunk) {
  return (term / line_doubles * group_chunks + chunk) * line_doubles + term % line_doubles;
}

// far_loop.cpp
/// Writes the sums of the states in each cell of a group, sums[group_cells]. It uses polynomials,
/// or the exponentials themselves where polynomials are not exact enough.
void far_sums(const SweepTables& tables, const BlockStates& states, double* sums);

// near_loop.cpp
/// Adds, to the cells of each chunk of the group that begins with `chunk`, what the sources of that
/// chunk and of the chunks on either side bring.
void add_near(const Sweep& sweep, const double* amounts, std::int64_t chunk, double* sums);

}  // namespace bombard::cpu::convolution
