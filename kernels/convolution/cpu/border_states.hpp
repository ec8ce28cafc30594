#pragma once

#include <cstdint>
#include <vector>

#include "kernels/convolution/cpu/layer_storm.hpp"
#include "kernels/convolution/cpu/sweep.hpp"
#include "kernels/convolution/tables.hpp"
#include "kernels/layer/cell_range.hpp"

/// The states of a field at the borders of the padded layer and of blocks, before any cell is
/// evaluated (A and B: kernels/convolution/cpu/sweep.hpp). Results do not depend on the number of
/// threads.
namespace bombard::cpu {

/// The impacts of a storm outside a padded layer: those before these positions, which add up to
/// A(0), or those after them, which add up to B(chunks - 1).
std::vector<DistantAmounts> amounts_outside(Towards side, const LayerStorm& storm,
                                            const CellRange& padded);
/// Roundings of a share on its way to such a state: two of its exponential, and a product; an
/// addition for each share of its row; and an addition for each pair of sums, in pairs that double
/// up to 2^63 impacts.
inline constexpr std::int64_t outside_roundings = 3 + outside_in_a_row + 63;

/// The state of a field with which its blocks begin: A(0), or B(chunks - 1).
double* first_state(Towards side, const Sweep& sweep, const Field& field);

/// Finds what the sources on the way through a block add to the states that enter the next block.
/// Any thread can take any block.
void add_block(Towards side, const Sweep& sweep, const Field& field, std::int64_t block);

/// Then, for all blocks: passes the states through them, starting with those from outside. A block
/// takes the states of the block before it, decayed, plus what the sources on the way add.
/// [block][term]
void pass_blocks(Towards side, const Sweep& sweep, const ConvolutionTables& tables,
                 double* at_block);

}  // namespace bombard::cpu
