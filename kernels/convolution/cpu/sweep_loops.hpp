#pragma once

#include <cstddef>
#include <utility>

#include "kernels/base/vector.hpp"
#include "kernels/convolution/cpu/sweep.hpp"

/// The sweep of one instruction set, a file for each subject: CMakeLists.txt compiles those that
/// include this once for each set, with its flags, its name as BOMBARD_INSTRUCTION_SET and the
/// bytes of its registers as BOMBARD_VECTOR_BYTES. Nothing here is the rule's arithmetic: how sums
/// are rounded is within the proven error, so products and sums may fuse.
namespace bombard::cpu::BOMBARD_INSTRUCTION_SET::convolution {

// Vectors of one register: longer ones GCC keeps in memory, up to 18 times slower.
using Doubles = Vector<double, BOMBARD_VECTOR_BYTES>;
using Floats = Vector<float, BOMBARD_VECTOR_BYTES / 2>;
inline constexpr int lanes = BOMBARD_VECTOR_BYTES / sizeof(double);
/// Vectors of a chunk's cells.
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

/// In place of std::min, which the linker could share (kernels/convolution/cpu/sweep.hpp).
[[gnu::always_inline]] constexpr std::int64_t smaller(std::int64_t a, std::int64_t b) {
  return a < b ? a : b;
}

/// A source at offset j of its chunk stands chunk_cells - j + 1 from the next state towards the
/// right, and j + 2 from the next one towards the left: its row of the moments.
constexpr std::int64_t row_of(Towards side, std::int64_t offset) {
  return side == to_right ? chunk_cells - 1 - offset : offset;
}

// states_loop.cpp
/// SweepKernels::sum_decayed, pass.
void sum_decayed(const SweepTables& tables, const DistantAmounts* amounts, std::int64_t count,
                 int field, double* sums);
void pass(Towards side, const Sweep& sweep, const Field& field, std::int64_t from, std::int64_t to,
          double* state);
/// The states behind all chunks of a block, and the one before its first chunk.
void enter_block(const Sweep& sweep, const Field& field, std::int64_t block,
                 const BlockStates& states);
/// Sums and differences of the states on either side of each chunk of the group that begins with
/// `chunk`, or the states themselves where polynomials do not serve. The state before it moves on
/// to the next group.
void meet_group(const Sweep& sweep, const Field& field, std::int64_t chunk,
                const BlockStates& states);
/// The place of the sum and difference of a term of a chunk of a group: line by line, so that the
/// chunks' are near each other, [line of terms][chunk][term of the line].
constexpr std::int64_t place(std::int64_t term, std::int64_t chunk) {
  return (term / line_doubles * group_chunks + chunk) * line_doubles + term % line_doubles;
}

// far_loop.cpp
/// Writes the sums of the states in each cell of a group, sums[group_cells]. By polynomials, or by
/// the exponentials themselves where polynomials do not serve.
void far_sums(const SweepTables& tables, const BlockStates& states, double* sums);

// near_loop.cpp
/// Adds what the sources of the group that begins with `chunk` bring to its cells, and those of the
/// chunk on either side of each.
void add_near(const Sweep& sweep, const double* amounts, std::int64_t chunk, double* sums);
/// SweepKernels::add_shares.
void add_shares(const double* attenuation, std::int64_t at, std::int64_t begin, std::int64_t end,
                double amount, double* sums);

// sparse_loop.cpp
/// SweepKernels::cross_gap, add_product, sum_of_products.
std::int64_t cross_gap(const GapStep& step);
void add_product(double amount, const double* a, const double* b, std::int64_t terms, double* to);
double sum_of_products(const double* a, const double* b, std::int64_t terms);

// block_loop.cpp
void apply_block(const Sweep& sweep, std::int64_t block, Field* fields, const BlockStates* states);

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET::convolution
