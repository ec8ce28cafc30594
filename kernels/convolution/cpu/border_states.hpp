#pragma once

#include <cstdint>
#include <span>

#include "kernels/convolution/cpu/layer_storm.hpp"
#include "kernels/convolution/cpu/sweep.hpp"
#include "kernels/convolution/tables.hpp"
#include "kernels/layer/cell_range.hpp"

/// The states of a field at the borders of the padded layer and of blocks, before any cell is
/// evaluated (A and B: kernels/convolution/cpu/sweep.hpp). Results do not depend on the number of
/// threads.
namespace bombard::cpu {

/// The state of a field, 0 of energies or 1 of uncertainties, that the impacts of a storm outside a
/// padded layer add up to: A(0), of those before these positions, or B(chunks - 1), of those behind
/// them.
AlignedDoubles outside_state(Towards side, int field, const LayerStorm& storm,
                             const CellRange& padded, const SweepTables& tables,
                             const SweepKernels& kernels);
/// Roundings of a share on the way: its exponential; in a row, an addition for each share of it; in
/// pairs, an addition for each pair of sums; and in pairs that double up to 2^63 impacts.
inline constexpr std::int64_t outside_roundings = roundings_of_decay + decayed_in_a_row + 63;

/// Adds the sources of a block to the states of its two neighbours. The first and the last block
/// also add the impacts outside the padded layer. Any thread may take any block.
void add_block(const Sweep& sweep, const SweepKernels& kernels, Field& field, std::int64_t block);

/// Then the states pass through all blocks: A to the right, B to the left.
void pass_blocks(const Sweep& sweep, const ConvolutionTables& tables, Field& field);

/// A(chunk), chunk from 0 to sweep.chunks, or B(chunk), from -1 to sweep.chunks - 1.
void state_at(Towards side, const Sweep& sweep, const SweepKernels& kernels, const Field& field,
              std::int64_t chunk, std::span<double> state);

/// Adds what a neighbour brings to A(0), or to B(chunks - 1), and so to all states.
void come_in(Towards side, const Sweep& sweep, const ConvolutionTables& tables,
             std::span<const double> state, Field& field);

}  // namespace bombard::cpu
