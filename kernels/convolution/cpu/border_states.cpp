#include "kernels/convolution/cpu/border_states.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <vector>

namespace bombard::cpu {

namespace {

// Smaller states become 0 where they enter a block, long before they are subnormal: on many CPUs
// arithmetic on subnormal numbers takes a hundred times as long, and a slow decay, rounded, never
// brings the smallest one to 0. A share of an energy of 1 that counts in any layer is far larger
// (docs/roundings.md, On the CPU).
constexpr double smallest_state = 0x1p-960;

double large_enough(double state) {
  return std::fabs(state) < smallest_state ? 0 : state;
}

/// The block where states that go in this direction begin.
std::int64_t first_block(Towards side, const Sweep& sweep) {
  return side == to_right ? 0 : sweep.blocks - 1;
}

constexpr std::int64_t one_on(Towards side) {
  return side == to_right ? 1 : -1;
}

/// The chunk whose state enters a block: the one before the block's first chunk on the way, or, in
/// the block where the states begin, its own first chunk.
std::int64_t entry_of(Towards side, const Sweep& sweep, std::int64_t block) {
  const std::int64_t first = side == to_right
                                 ? block * sweep.block_chunks
                                 : std::min((block + 1) * sweep.block_chunks, sweep.chunks) - 1;
  return block == first_block(side, sweep) ? first : first - one_on(side);
}

}  // namespace

std::vector<DistantAmounts> amounts_outside(Towards side, const LayerStorm& storm,
                                            const CellRange& padded) {
  std::vector<DistantAmounts> outside;
  for (std::int64_t i = 0; i < std::ssize(storm.impacts); ++i) {
    const auto& [position, energy] = storm.impacts[i];
    const std::int64_t beyond =
        side == to_right ? padded.begin - 1 - position : position - padded.end;
    if (beyond < 0 || energy == 0) continue;
    outside.push_back({beyond + 2, {static_cast<double>(energy), storm.energy_uncertainty(i)}});
  }
  return outside;
}

double* first_state(Towards side, const Sweep& sweep, const Field& field) {
  return field.at_block[side] + first_block(side, sweep) * sweep.tables.terms;
}

void add_block(Towards side, const Sweep& sweep, const Field& field, std::int64_t block) {
  const std::int64_t next = block + one_on(side);
  if (next < 0 || next >= sweep.blocks) return;
  const std::int64_t terms = sweep.tables.terms;
  const std::int64_t from = entry_of(side, sweep, block), to = entry_of(side, sweep, next);
  double* const state = field.at_block[side] + next * terms;
  std::fill_n(state, terms, 0.0);
  const auto [first, last] = std::minmax({from, to - one_on(side)});
  if (sweep.sources_of_chunk[first].begin != sweep.sources_of_chunk[last].end) {
    convolution::pass(side, sweep, field, from, to, state);
  }
}

void pass_blocks(Towards side, const Sweep& sweep, const ConvolutionTables& tables,
                 double* at_block) {
  const std::int64_t terms = tables.terms, blocks = sweep.blocks;
  std::vector<double> decay(static_cast<std::size_t>(terms));
  for (std::int64_t i = 1; i < blocks; ++i) {
    const std::int64_t block = side == to_right ? i : blocks - 1 - i;
    const std::int64_t before = block - one_on(side);
    if (i <= 2) {  // all others are as far from the block before as the second
      const std::int64_t chunks =
          std::abs(entry_of(side, sweep, block) - entry_of(side, sweep, before));
      tables.sum.decay(static_cast<double>(chunks * chunk_cells), decay.data());
    }
    double* const state = at_block + block * terms;
    const double* const passed = at_block + before * terms;
    for (std::int64_t t = 0; t < terms; ++t) {
      state[t] = large_enough(state[t] + passed[t] * decay[t]);
    }
  }
}

}  // namespace bombard::cpu
