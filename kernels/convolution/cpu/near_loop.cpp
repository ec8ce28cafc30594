#include "kernels/convolution/cpu/sweep_loops.hpp"

// The near part: the sources of a chunk and of its two neighbours, each by its own attenuation.

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET::convolution {

namespace {

// Up to this number of sources around a group, one by one costs no more than a product of matrices,
// whose cost does not depend on their number. (It is not exact enough where polynomials are not.)
constexpr std::int64_t few_near_sources = 130;

/// Chunks whose sources are near for some chunk of a group: first .. end-1.
struct NearChunks {
  std::int64_t first, end;

  [[gnu::always_inline]] NearChunks(std::int64_t chunk, std::int64_t chunks, std::int64_t count)
      : first(larger(chunk - 1, 0)), end(smaller(chunk + count + 1, chunks)) {}
};

/// One by one, for a chunk.
[[gnu::always_inline]] inline void add_each(const Sweep& sweep, const double* amounts,
                                            std::int64_t chunk, double* sums) {
  constexpr int together = 8;  // vectors that stay in registers: half of AVX-512's, all of AVX2's
  const NearChunks near(chunk, sweep.chunks, 1);
  for (int v = 0; v < chunk_vectors; v += together) {
    Doubles result[together];
#pragma GCC unroll 8
    for (int i = 0; i < together; ++i) result[i] = load(sums + (v + i) * lanes);
    for (std::int64_t c = near.first; c < near.end; ++c) {
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
struct alignas(64) Mirrored {
  double chunk[group_chunks][seen / 2];
};

/// The amounts of a group's near sources, cell by cell, and from them:
///
///     chunk before | chunk c | chunk behind        around chunk c, mirrored about its middle
///     p ->                            <- 191 - p   even: amount(p) + amount(191 - p)
///                                                  odd:  amount(p) - amount(191 - p)
[[gnu::always_inline]] inline void mirror(const Sweep& sweep, const double* amounts,
                                          std::int64_t chunk, Mirrored& even, Mirrored& odd) {
  alignas(64) double cell_amounts[group_cells + 2 * chunk_cells] = {};
  const NearChunks near(chunk, sweep.chunks, group_chunks);
  for (std::int64_t c = near.first; c < near.end; ++c) {
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
      store(before + behind, even.chunk[c] + p);
      store(before - behind, odd.chunk[c] + p);
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
      for (std::int64_t c = 0; c < group_chunks; ++c) sums[c][i] += amounts.chunk[c][p] * weight;
    }
  }
}

/// The near sums as a product of matrices, for all chunks of a group. Mirrored about a chunk's
/// middle the attenuations are the same, so two products of half the size are enough: cell j of the
/// chunk gets the sum of their results, cell 63 - j the difference.
void add_product(const Sweep& sweep, const double* amounts, std::int64_t chunk, double* sums) {
  Mirrored even, odd;
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
  const NearChunks near(chunk, sweep.chunks, group_chunks);
  std::int64_t sources = 0;
  for (std::int64_t c = near.first; c < near.end; ++c) {
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

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET::convolution
