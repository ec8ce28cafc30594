#pragma once

#include <cstdint>

#include "kernels/convolution/chunks.hpp"
#include "kernels/convolution/uncertainty.hpp"
#include "kernels/layer/cell_range.hpp"

/// The loops over the cells of a layer that takes a storm (*_loop.cpp). Their products and sums may
/// be fused, and those of the rule may not: so the memory that they read and write is given by
/// pointers and plain types only. An inline function of a library, compiled here, could be the copy
/// that the linker keeps for the whole program.
///
/// The padded layer is the layer, one empty chunk before it and at least one after it. It is a
/// whole number of groups of chunks. The exponentials, with an exponent a for each term, reach a
/// chunk c as two states, which are sums over the sources on either side of it:
///
///       ... before chunk c ... | chunk c | ... behind chunk c ...
///     A(c): seen from its first ^       ^ B(c): seen from its last
///           cell                          cell
///
///     A(c) = sum of amount * exp(-a (distance from the first cell + 1))
///     B(c) = sum of amount * exp(-a (distance from the last cell + 1))
namespace bombard::cpu {

/// How many amounts outside are added one after another. The sums of these are added in pairs.
inline constexpr std::int64_t outside_in_a_row = 256;

/// The direction of a state: A goes to the right, B to the left.
enum Towards { to_right, to_left };

/// Amounts of the two fields at a distance from a state.
struct DistantAmounts {
  std::int64_t distance;
  double amounts[2];
};

/// One of the two sums that are formed with the same attenuation: number 0 is of energies and 1 of
/// uncertainties. States are [terms].
struct Field {
  const double* amounts;  ///< of the sources
  /// [Towards][block][term] A of the chunk before the block, and B of the chunk after it. Where
  /// there is no such chunk, in block 0 it is A(0), of the sources before the padded layer, and in
  /// the last block B(chunks - 1), of those after it: the chunk of padding there is also evaluated
  /// with it.
  double* at_block[2] = {};
  /// [block] its first two and last two cells after the impacts: they are needed to relax its
  /// neighbours
  double (*edges)[4];
  double ends[2] = {};  ///< the layer's first and last cells, after the impacts
};

/// The tables of ConvolutionTables, which describes each of them.
struct SweepTables {
  std::int64_t terms;  ///< a multiple of line_doubles
  const double *chunk_decay, *moment, *even, *odd, *near;
  const double* target;  ///< nullptr: polynomials are used
  const double* exponents;
};

/// A storm on a padded layer of `chunks` chunks, in blocks of `block_chunks`, a power of two (the
/// last block may have fewer).
struct Sweep {
  SweepTables tables;
  std::int64_t chunks, block_chunks, blocks;
  /// [chunk] where its sources are among all. A source is the sum of the impacts on one cell, and
  /// the sources of a block's chunks follow one another.
  const CellRange* sources_of_chunk;
  const std::uint8_t* offsets;  ///< [source] its cell in its chunk
  std::int64_t ends[2];         ///< the layer's first and last cells in the padded layer
  bool fresh;                   ///< the layer is still 0 and need not be read
  double* layer;                ///< [cell]
  float* uncertainty;           ///< [cell]; nullptr: not tracked
  double* highest;              ///< [group] the largest value + uncertainty
  StormUncertainty of_storm;
};

/// The states of one field in the chunks of a block, in scratch memory.
struct BlockStates {
  double* behind;      ///< [chunk][term] B of the chunk after each
  double* before;      ///< [term] A of the chunk before the next one that is evaluated
  double* sum;         ///< A + B for the chunks of a group: place() in sweep_loops.hpp
  double* difference;  ///< A - B likewise; without polynomials the two are A and B themselves
};

/// A step of the states of one side, [terms] each, from one occupied chunk to the next one on their
/// way, which may be some chunks away (kernels/convolution/sparse/sparse_states.hpp).
struct GapStep {
  std::int64_t terms;
  bool adjacent;     ///< the chunks are neighbours
  double cells;      ///< in the chunks between them, except the last one
  double vanishing;  ///< terms become 0 where their exponent times `cells` is at least this value
  const double* exponents;  ///< in ascending order
  const double* chunk_decay;
  double* before;  ///< sources before the chunk, as seen from the end of the chunk before it
  double* full;    ///< those and the chunk's own, as seen from its end
  double* far;     ///< written, except for terms that vanish: what `before` would be for the chunk
                   ///< before the new one
};

namespace convolution {

/// Takes `state` from A(from) to A(to), or from B(from) to B(to).
void pass(Towards side, const Sweep& sweep, const Field& field, std::int64_t from, std::int64_t to,
          double* state);
/// Adds the sums to a block's cells and relaxes all but its first and last, whose values then
/// mean nothing. There is a second field if uncertainties are tracked.
void apply_block(const Sweep& sweep, std::int64_t block, Field* fields, const BlockStates* states);
/// sums[k] += amount * attenuation[|k - at| + 1] for k = begin .. end-1.
void add_shares(const double* attenuation, std::int64_t at, std::int64_t begin, std::int64_t end,
                double amount, double* sums);
/// Moves `before` and `full` on; the new chunk's own sources have yet to be added to `full`.
/// Returns the number of terms that do not vanish.
std::int64_t cross_gap(const GapStep& step);
/// to += amount * a * b, element by element, [terms] each.
void add_product(double amount, const double* a, const double* b, std::int64_t terms, double* to);
double sum_of_products(const double* a, const double* b, std::int64_t terms);
/// sums[term] = sum of amount * exp(-a distance) over a field's amounts, one after another.
void sum_decayed(const SweepTables& tables, const DistantAmounts* amounts, std::int64_t count,
                 int field, double* sums);

}  // namespace convolution

}  // namespace bombard::cpu
