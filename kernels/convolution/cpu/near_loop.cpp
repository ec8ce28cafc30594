#include "kernels/convolution/cpu/sweep_loops.hpp"

// The near part: the sources of a chunk and of its two neighbours, each with its own attenuation;
// and the shares of one source in any cells.

namespace bombard::cpu::convolution {

namespace {

/// Adds the near sources of a chunk one by one.
[[gnu::always_inline]] inline void add_each(const Sweep& sweep, const double* amounts,
                                            std::int64_t chunk, double* sums) {
  constexpr int together = 8;  // vectors that stay in registers: half of AVX-512's, all of AVX2's
  const std::int64_t first = chunk > 0 ? chunk - 1 : 0, end = smaller(chunk + 2, sweep.chunks);
  const CellRange* const all = sweep.sources_of_chunk;
  if (all[first].begin == all[end - 1].end) return;
  for (int v = 0; v < chunk_vectors; v += together) {
    Doubles result[together];
#pragma GCC unroll 8
    for (int i = 0; i < together; ++i) result[i] = load(sums + (v + i) * lanes);
    for (std::int64_t c = first; c < end; ++c) {
      const double* const weights_at_0 =
          sweep.tables.near + 2 * chunk_cells + (chunk - c) * chunk_cells + v * lanes;
      const CellRange sources = all[c];
      for (std::int64_t i = sources.begin; i < sources.end; ++i) {
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

}  // namespace

void add_near(const Sweep& sweep, const double* amounts, std::int64_t chunk, double* sums) {
  for (std::int64_t c = 0; c < group_chunks; ++c) {
    add_each(sweep, amounts, chunk + c, sums + c * chunk_cells);
  }
}

void add_shares(const double* __restrict__ attenuation, std::int64_t at, std::int64_t begin,
                std::int64_t end, double amount, double* __restrict__ sums) {
  const std::int64_t middle = at < begin ? begin : smaller(at, end);
  for (std::int64_t k = begin; k < middle; ++k) sums[k] += amount * attenuation[at - k + 1];
  for (std::int64_t k = middle; k < end; ++k) sums[k] += amount * attenuation[k - at + 1];
}

}  // namespace bombard::cpu::convolution
