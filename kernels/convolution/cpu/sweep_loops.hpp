#pragma once

#include <cstddef>
#include <utility>

#include "kernels/base/vector.hpp"
#include "kernels/convolution/cpu/sweep.hpp"

/// The sweep for one instruction set, with a file for each subject: CMakeLists.txt compiles the
/// files that include this once for each set, with its flags, its name as BOMBARD_INSTRUCTION_SET
/// and the bytes of its registers as BOMBARD_VECTOR_BYTES. Nothing here is the rule's arithmetic:
/// the proven error allows for any rounding of the sums, so products and sums may be fused.
namespace bombard::cpu::BOMBARD_INSTRUCTION_SET::convolution {

// Vectors of one register: GCC keeps longer ones in memory, which is up to 18 times slower.
using Doubles = Vector<double, BOMBARD_VECTOR_BYTES>;
using Floats = Vector<float, BOMBARD_VECTOR_BYTES / 2>;
inline constexpr int lanes = BOMBARD_VECTOR_BYTES / sizeof(double);
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
/// SweepKernels::sum_decayed, pass.
void sum_decayed(const SweepTables& tables, const DistantAmounts* amounts, std::int64_t count,
                 int field, double* sums);
void pass(Towards side, const Sweep& sweep, const Field& field, std::int64_t from, std::int64_t to,
          double* state);
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
