#include "kernels/convolution/cpu/border_states.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

namespace bombard::cpu {

namespace {

// Smaller states end where they come into a block, long before they are subnormal: on many
// processors arithmetic on subnormal numbers takes a hundred times as long, and a slow decay,
// rounded, never brings the smallest one to 0. A share of an energy of 1 that counts in any layer
// is larger by far (docs/roundings.md, On the processor).
constexpr double smallest_state = 0x1p-960;

double large_enough(double state) {
  return std::fabs(state) < smallest_state ? 0 : state;
}

/// Whether there are sources in any of these chunks of one block, or any that exit there.
bool any_sources(const Sweep& sweep, const IndexRange* exits, std::int64_t first,
                 std::int64_t last) {
  const auto any = [&](const IndexRange* ranges) {
    return ranges != nullptr && ranges[first].begin < ranges[last].end;
  };
  return any(sweep.sources_of_chunk) || any(exits);
}

/// The block where states that go this way begin.
std::int64_t first_block(Towards side, const Sweep& sweep) {
  return side == to_right ? 0 : blocks_of(sweep.chunks) - 1;
}

constexpr std::int64_t one_on(Towards side) {
  return side == to_right ? 1 : -1;
}

/// The chunk whose state comes into a block: of the chunk before its first one on the way, or, in
/// the block where the states begin, of its own first one.
std::int64_t entry_of(Towards side, const Sweep& sweep, std::int64_t block) {
  const std::int64_t first = side == to_right
                                 ? block * block_chunks
                                 : std::min((block + 1) * block_chunks, sweep.chunks) - 1;
  return block == first_block(side, sweep) ? first : first - one_on(side);
}

/// Calls work(block) for the blocks from which on states come in from others, in their order.
template <class Work>
void each_block_on(Towards side, const Sweep& sweep, const Work& work) {
  const std::int64_t blocks = blocks_of(sweep.chunks);
  for (std::int64_t i = 1; i < blocks; ++i) work(side == to_right ? i : blocks - 1 - i);
}

/// The state that comes into the block becomes the one that comes into the next block.
void add_to_next(Towards side, const Sweep& sweep, const SweepKernels& kernels, Field& field,
                 std::int64_t block) {
  const std::int64_t next = block + one_on(side);
  if (next < 0 || next >= blocks_of(sweep.chunks)) return;
  const std::int64_t terms = sweep.tables.terms;
  const std::int64_t from = entry_of(side, sweep, block), to = entry_of(side, sweep, next);
  double* const state = field.at_block[side] + next * terms;
  if (block == first_block(side, sweep)) {
    std::copy_n(field.outside[side], terms, state);
  } else {
    std::fill_n(state, terms, 0.0);
    // The chunk that the states come from belongs to the block before.
    const auto [first, last] = std::minmax({from + one_on(side), to - one_on(side)});
    if (!any_sources(sweep, field.exits[side], from, from) &&
        !any_sources(sweep, field.exits[side], first, last)) {
      return;
    }
  }
  kernels.pass(side, sweep, field, from, to, state);
}

}  // namespace

AlignedDoubles outside_state(Towards side, int field, const LayerStorm& storm,
                             const CellRange& padded, const SweepTables& tables,
                             const SweepKernels& kernels) {
  std::vector<std::int64_t> distances;
  std::vector<double> amounts;
  for (std::size_t i = 0; i < storm.impacts.size(); ++i) {
    const auto& [position, energy] = storm.impacts[i];
    const std::int64_t beyond =
        side == to_right ? padded.begin - 1 - position : position - padded.end;
    if (beyond < 0 || energy == 0) continue;
    distances.push_back(beyond + 2);
    amounts.push_back(field == 0 ? static_cast<double>(energy)
                                 : storm.energy_uncertainty(static_cast<std::int64_t>(i)));
  }
  AlignedDoubles state(static_cast<std::size_t>(tables.terms));
  if (!distances.empty()) {
    kernels.sum_decayed(tables, distances.data(), amounts.data(), std::ssize(distances),
                        state.data());
  }
  return state;
}

void add_block(const Sweep& sweep, const SweepKernels& kernels, Field& field, std::int64_t block) {
  for (const Towards side : {to_right, to_left}) add_to_next(side, sweep, kernels, field, block);
}

void pass_blocks(const Sweep& sweep, const ConvolutionTables& tables, Field& field) {
  const std::int64_t terms = tables.terms;
  for (const Towards side : {to_right, to_left}) {
    double* before = nullptr;
    each_block_on(side, sweep, [&](std::int64_t block) {
      double* const state = field.at_block[side] + block * terms;
      for (std::int64_t t = 0; t < terms && before != nullptr; ++t) {
        state[t] = large_enough(state[t] + before[t] * tables.block_decay[t]);
      }
      before = state;
    });
  }
}

/// Begins at the nearest state that is known.
void state_at(Towards side, const Sweep& sweep, const SweepKernels& kernels, const Field& field,
              std::int64_t chunk, std::span<double> state) {
  const std::int64_t blocks = blocks_of(sweep.chunks);
  // The block into which the state of that chunk, or of one before, comes.
  const std::int64_t block =
      side == to_right ? std::min((chunk + 1) / block_chunks, blocks - 1)
                       : std::max<std::int64_t>((chunk + block_chunks - 1) / block_chunks - 1, 0);
  const double* const known = block == first_block(side, sweep)
                                  ? field.outside[side]
                                  : field.at_block[side] + block * sweep.tables.terms;
  std::copy_n(known, sweep.tables.terms, state.data());
  kernels.pass(side, sweep, field, entry_of(side, sweep, block), chunk, state.data());
}

void come_in(Towards side, const Sweep& sweep, const ConvolutionTables& tables,
             std::span<const double> state, Field& field) {
  const std::int64_t terms = tables.terms;
  for (std::int64_t t = 0; t < terms; ++t) field.outside[side][t] += state[t];
  AlignedDoubles here(state.size());
  each_block_on(side, sweep, [&](std::int64_t block) {
    const std::int64_t before = block - one_on(side);
    if (before == first_block(side, sweep)) {
      const std::int64_t chunks = entry_of(side, sweep, block) - entry_of(side, sweep, before);
      tables.sum.decay(static_cast<double>(std::abs(chunks) * chunk_cells), here.data());
      for (std::int64_t t = 0; t < terms; ++t) here[t] *= state[t];
    } else {
      for (std::int64_t t = 0; t < terms; ++t) {
        here[t] = large_enough(here[t] * tables.block_decay[t]);
      }
    }
    for (std::int64_t t = 0; t < terms; ++t) field.at_block[side][block * terms + t] += here[t];
  });
}

}  // namespace bombard::cpu
