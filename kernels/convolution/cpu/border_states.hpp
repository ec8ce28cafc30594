#pragma once

#include <cstdint>
#include <span>

#include "kernels/convolution/cpu/sweep.hpp"
#include "kernels/convolution/tables.hpp"

/// The states of a field at the borders of blocks, before any cell is evaluated (A and B:
/// kernels/convolution/cpu/sweep.hpp). Results do not depend on the number of threads.
namespace bombard::cpu {

/// Adds the sources of a block to the states of its two neighbours. The first and the last block
/// also add the impacts outside the padded layer. Any thread may take any block.
void add_block(const Sweep& sweep, const SweepKernels& kernels, Field& field, std::int64_t block);

/// Then the states pass through all blocks: A to the right, B to the left.
void pass_blocks(const Sweep& sweep, const ConvolutionTables& tables, Field& field);

/// A(chunk), chunk from 0 to sweep.chunks, or B(chunk), from -1 to sweep.chunks - 1.
void state_before(const Sweep& sweep, const SweepKernels& kernels, const Field& field,
                  std::int64_t chunk, std::span<double> state);
void state_behind(const Sweep& sweep, const SweepKernels& kernels, const Field& field,
                  std::int64_t chunk, std::span<double> state);

/// Adds what neighbours bring to A(0), or to B(chunks - 1), and so to all states.
void come_from_left(const Sweep& sweep, const ConvolutionTables& tables,
                    std::span<const double> state, Field& field);
void come_from_right(const Sweep& sweep, const ConvolutionTables& tables,
                     std::span<const double> state, Field& field);

}  // namespace bombard::cpu
