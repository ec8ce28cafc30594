#include "kernels/convolution/cpu/sweep_loops.hpp"

// The near part: the sources of a chunk and of its two neighbours, each by its own attenuation; and
// the shares of one source in any cells.

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET::convolution {

namespace {

// Up to this number of sources around a group, one by one costs no more than a product of matrices,
// whose cost does not depend on their number. (It is not exact enough where polynomials are not.)
constexpr std::int64_t few_near_sources = 130;

/// Chunks whose sources are near for some of `count` chunks from `chunk` on.
[[gnu::always_inline]] inline IndexRange near_chunks(const Sweep& sweep, std::int64_t chunk,
                                                     std::int64_t count) {
  return {larger(chunk - 1, 0), smaller(chunk + count + 1, sweep.chunks)};
}

/// One by one, for a chunk.
[[gnu::always_inline]] inline void add_each(const Sweep& sweep, const double* amounts,
                                            std::int64_t chunk, double* sums) {
  constexpr int together = 8;  // vectors that stay in registers: half of AVX-512's, all of AVX2's
  const IndexRange near = near_chunks(sweep, chunk, 1);
  for (int v = 0; v < chunk_vectors; v += together) {
    Doubles result[together];
#pragma GCC unroll 8
    for (int i = 0; i < together; ++i) result[i] = load(sums + (v + i) * lanes);
    for (std::int64_t c = near.begin; c < near.end; ++c) {
      const double* const weights_at_0 =
          sweep.tables.near + 2 * chunk_cells + (chunk - c) * chunk_cells + v * lanes;
      for (std::int64_t i = sweep.sources_of_chunk[c].begin; i < sweep.sources_of_chunk[c].end;
           ++i) {
        const double amount = amounts[i];
        const double* const weights = weights_at_0 - sweep.offsets[i];
#pragma GCC unroll 8
        for (int k = 0; k < together; ++k) result[k] += amount * load(weights + k * lanes);
      }
    }
#pragma GCC unroll 8
    for (int i = 0; i < together; ++i) store(result[i], sums + (v + i) * lanes);
  }
}

/// Cells that a chunk's near sources lie in.
constexpr std::int64_t seen = 3 * chunk_cells;
/// Sums, or differences, of the amounts at mirrored places around each chunk of a group.
using Mirrored = double[group_chunks][seen / 2];

/// The amounts of a group's near sources, cell by cell, and from them:
///
///     chunk before | chunk c | chunk behind        around chunk c, mirrored about its middle
///     p ->                            <- 191 - p   even: amount(p) + amount(191 - p)
///                                                  odd:  amount(p) - amount(191 - p)
[[gnu::always_inline]] inline void mirror(const Sweep& sweep, const double* amounts,
                                          std::int64_t chunk, Mirrored& even, Mirrored& odd) {
  alignas(64) double cell_amounts[group_cells + 2 * chunk_cells] = {};
  const IndexRange near = near_chunks(sweep, chunk, group_chunks);
  for (std::int64_t c = near.begin; c < near.end; ++c) {
    double* const chunk_amounts = cell_amounts + (c - chunk + 1) * chunk_cells;
    for (std::int64_t i = sweep.sources_of_chunk[c].begin; i < sweep.sources_of_chunk[c].end; ++i) {
      chunk_amounts[sweep.offsets[i]] = amounts[i];
    }
  }
  for (std::int64_t c = 0; c < group_chunks; ++c) {
    const double* const around = cell_amounts + c * chunk_cells;
    for (std::int64_t p = 0; p < seen / 2; p += lanes) {
      const Doubles before = load(around + p);
      const Doubles behind = backwards(load(around + seen - lanes - p));
      store(before + behind, even[c] + p);
      store(before - behind, odd[c] + p);
    }
  }
}

/// sums[c][..] += the product of a chunk's mirrored amounts with some columns of the weights.
template <int columns>
[[gnu::always_inline]] inline void multiply(const Mirrored& amounts, const double* weights,
                                            Doubles (&sums)[group_chunks][columns]) {
  for (std::int64_t p = 0; p < seen / 2; ++p) {
#pragma GCC unroll 4
    for (int i = 0; i < columns; ++i) {
      const Doubles weight = load(weights + p * (chunk_cells / 2) + i * lanes);
#pragma GCC unroll 4
      for (std::int64_t c = 0; c < group_chunks; ++c) sums[c][i] += amounts[c][p] * weight;
    }
  }
}

/// The near sums as a product of matrices, for all chunks of a group. Mirrored about a chunk's
/// middle the attenuations are the same, so two products of half the size are enough: cell j of the
/// chunk gets the sum of their results, cell 63 - j the difference.
void add_product(const Sweep& sweep, const double* amounts, std::int64_t chunk, double* sums) {
  alignas(64) Mirrored even, odd;
  mirror(sweep, amounts, chunk, even, odd);
  constexpr int columns = 2;  // vectors of a chunk's first half at a time: 16 sums in registers
  for (int v = 0; v < chunk_vectors / 2; v += columns) {
    alignas(sizeof(Doubles)) Doubles sum[group_chunks][columns] = {};
    alignas(sizeof(Doubles)) Doubles difference[group_chunks][columns] = {};
    multiply<columns>(even, sweep.tables.near_even + v * lanes, sum);
    multiply<columns>(odd, sweep.tables.near_odd + v * lanes, difference);
    for (std::int64_t c = 0; c < group_chunks; ++c) {
      for (int i = 0; i < columns; ++i) {
        double* const first = sums + c * chunk_cells + (v + i) * lanes;
        double* const last = sums + (c + 1) * chunk_cells - (v + i + 1) * lanes;
        store(load(first) + sum[c][i] + difference[c][i], first);
        store(load(last) + backwards(sum[c][i] - difference[c][i]), last);
      }
    }
  }
}

}  // namespace

void add_near(const Sweep& sweep, const double* amounts, std::int64_t chunk, double* sums) {
  const IndexRange near = near_chunks(sweep, chunk, group_chunks);
  std::int64_t sources = 0;
  for (std::int64_t c = near.begin; c < near.end; ++c) {
    sources += sweep.sources_of_chunk[c].end - sweep.sources_of_chunk[c].begin;
  }
  if (sources > few_near_sources && sweep.tables.target == nullptr) {
    add_product(sweep, amounts, chunk, sums);
  } else if (sources > 0) {
    for (std::int64_t c = 0; c < group_chunks; ++c) {
      add_each(sweep, amounts, chunk + c, sums + c * chunk_cells);
    }
  }
}

void add_shares(const double* __restrict__ attenuation, std::int64_t at, std::int64_t begin,
                std::int64_t end, double amount, double* __restrict__ sums) {
  const std::int64_t middle = at < begin ? begin : smaller(at, end);
  for (std::int64_t k = begin; k < middle; ++k) sums[k] += amount * attenuation[at - k + 1];
  for (std::int64_t k = middle; k < end; ++k) sums[k] += amount * attenuation[k - at + 1];
}

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET::convolution
