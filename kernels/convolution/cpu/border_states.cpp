#include "kernels/convolution/cpu/border_states.hpp"

#include <algorithm>
#include <cmath>

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
bool any_sources(const Sweep& sweep, const Exits& exits, std::int64_t first, std::int64_t last) {
  const auto any = [&](const SourceRange* ranges) {
    return ranges != nullptr && ranges[first].begin < ranges[last].end;
  };
  return any(sweep.sources_of_chunk) || any(exits.ranges);
}

/// to += from * decay.
void add_decayed(const double* from, std::span<const double> decay, double* to) {
  for (std::size_t t = 0; t < decay.size(); ++t) to[t] = large_enough(to[t] + from[t] * decay[t]);
}

/// state *= factors.
void decay(std::span<const double> factors, std::span<double> state) {
  for (std::size_t t = 0; t < factors.size(); ++t) state[t] = large_enough(state[t] * factors[t]);
}

/// exp(-a cells) * state.
AlignedDoubles decayed(const ConvolutionTables& tables, std::span<const double> state,
                       std::int64_t cells) {
  AlignedDoubles result(state.size());
  tables.sum.decay(static_cast<double>(cells), result.data());
  for (std::size_t t = 0; t < state.size(); ++t) result[t] *= state[t];
  return result;
}

/// A of the chunk before the block becomes A of the chunk before the next one.
void add_to_right(const Sweep& sweep, const SweepKernels& kernels, Field& field,
                  std::int64_t block) {
  const std::int64_t terms = sweep.tables.terms;
  const std::int64_t first = block * block_chunks, end = first + block_chunks;
  double* const state = field.right + (block + 1) * terms;
  if (block == 0) {
    std::copy_n(field.before, terms, state);
    kernels.pass_right(sweep, field, 0, end - 1, state);
    return;
  }
  std::fill_n(state, terms, 0.0);
  // The chunk before the first belongs to the block before.
  if (any_sources(sweep, field.exits[to_right], first - 1, first - 1) ||
      any_sources(sweep, field.exits[to_right], first, end - 2)) {
    kernels.pass_right(sweep, field, first - 1, end - 1, state);
  }
}

/// B of the chunk behind the block becomes B of the chunk behind the one before.
void add_to_left(const Sweep& sweep, const SweepKernels& kernels, Field& field,
                 std::int64_t block) {
  const std::int64_t terms = sweep.tables.terms;
  const std::int64_t first = block * block_chunks;
  const std::int64_t end = std::min(first + block_chunks, sweep.chunks);
  double* const state = field.left + (block - 1) * terms;
  if (end == sweep.chunks) {
    std::copy_n(field.behind, terms, state);
    kernels.pass_left(sweep, field, end - 1, first, state);
    return;
  }
  std::fill_n(state, terms, 0.0);
  if (any_sources(sweep, field.exits[to_left], first + 1, end - 1) ||
      any_sources(sweep, field.exits[to_left], end, end)) {
    kernels.pass_left(sweep, field, end, first, state);
  }
}

}  // namespace

void add_block(const Sweep& sweep, const SweepKernels& kernels, Field& field, std::int64_t block) {
  if (block + 1 < blocks_of(sweep.chunks)) add_to_right(sweep, kernels, field, block);
  if (block > 0) add_to_left(sweep, kernels, field, block);
}

void pass_blocks(const Sweep& sweep, const ConvolutionTables& tables, Field& field) {
  const std::int64_t terms = tables.terms, blocks = blocks_of(sweep.chunks);
  for (std::int64_t b = 1; b + 1 < blocks; ++b) {
    add_decayed(field.right + b * terms, tables.block_decay, field.right + (b + 1) * terms);
  }
  for (std::int64_t b = blocks - 2; b > 0; --b) {
    add_decayed(field.left + b * terms, tables.block_decay, field.left + (b - 1) * terms);
  }
}

/// Begins at the nearest state that is known: A(0), or A of the chunk before a block.
void state_before(const Sweep& sweep, const SweepKernels& kernels, const Field& field,
                  std::int64_t chunk, std::span<double> state) {
  const std::int64_t terms = sweep.tables.terms;
  const std::int64_t block = std::min((chunk + 1) / block_chunks, blocks_of(sweep.chunks) - 1);
  const std::int64_t known = block == 0 ? 0 : block * block_chunks - 1;
  std::copy_n(block == 0 ? field.before : field.right + block * terms, terms, state.data());
  kernels.pass_right(sweep, field, known, chunk, state.data());
}

/// From B of the chunk behind a block, or B(chunks - 1).
void state_behind(const Sweep& sweep, const SweepKernels& kernels, const Field& field,
                  std::int64_t chunk, std::span<double> state) {
  const std::int64_t terms = sweep.tables.terms;
  const std::int64_t block = std::max<std::int64_t>((chunk + block_chunks - 1) / block_chunks, 1);
  const bool in_last = block >= blocks_of(sweep.chunks);
  const std::int64_t known = in_last ? sweep.chunks - 1 : block * block_chunks;
  std::copy_n(in_last ? field.behind : field.left + (block - 1) * terms, terms, state.data());
  kernels.pass_left(sweep, field, known, chunk, state.data());
}

void come_from_left(const Sweep& sweep, const ConvolutionTables& tables,
                    std::span<const double> state, Field& field) {
  const std::int64_t terms = tables.terms, blocks = blocks_of(sweep.chunks);
  for (std::int64_t t = 0; t < terms; ++t) field.before[t] += state[t];
  AlignedDoubles here = decayed(tables, state, (block_chunks - 1) * chunk_cells);
  for (std::int64_t b = 1; b < blocks; ++b) {
    for (std::int64_t t = 0; t < terms; ++t) field.right[b * terms + t] += here[t];
    decay(tables.block_decay, here);
  }
}

void come_from_right(const Sweep& sweep, const ConvolutionTables& tables,
                     std::span<const double> state, Field& field) {
  const std::int64_t terms = tables.terms, blocks = blocks_of(sweep.chunks);
  for (std::int64_t t = 0; t < terms; ++t) field.behind[t] += state[t];
  const std::int64_t last_block = (blocks - 1) * block_chunks;
  AlignedDoubles here = decayed(tables, state, (sweep.chunks - 1 - last_block) * chunk_cells);
  for (std::int64_t b = blocks - 2; b >= 0; --b) {
    for (std::int64_t t = 0; t < terms; ++t) field.left[b * terms + t] += here[t];
    decay(tables.block_decay, here);
  }
}

}  // namespace bombard::cpu
