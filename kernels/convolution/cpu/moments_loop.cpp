#include "kernels/convolution/cpu/sweep_loops.hpp"

// The states on their way from chunk to chunk: they decay, and the chunk's sources come to them.

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET::convolution {

namespace {

/// One source after the other, by the exponentials themselves.
template <Towards side>
[[gnu::always_inline]] inline void add_sources(const Sweep& sweep, const double* amounts,
                                               SourceRange range, double* state) {
  const std::int64_t terms = sweep.tables.terms;
  for (std::int64_t i = range.begin; i < range.end; ++i) {
    const double* const moment = sweep.tables.moment + row_of(side, sweep.offsets[i]) * terms;
    const double amount = amounts[i];
    for (std::int64_t t = 0; t < terms; t += lanes) {
      store(load(state + t) + amount * load(moment + t), state + t);
    }
  }
}

/// The sums by polynomials: those of amount * x^i serve all exponents, and mirrored, x is -x.
template <Towards side>
[[gnu::always_inline]] inline void add_many_sources(const Sweep& sweep, const double* amounts,
                                                    SourceRange range, double* state) {
  const SweepTables& tables = sweep.tables;
  Doubles even[parity_vectors] = {}, odd[parity_vectors] = {};
  for (std::int64_t i = range.begin; i < range.end; ++i) {
    const double* const powers = tables.powers + 2 * parity_coefficients * sweep.offsets[i];
#pragma GCC unroll 4
    for (int v = 0; v < parity_vectors; ++v) {
      even[v] += amounts[i] * load(powers + v * lanes);
      odd[v] += amounts[i] * load(powers + parity_coefficients + v * lanes);
    }
  }
  alignas(64) double even_sums[parity_coefficients], odd_sums[parity_coefficients];
  for (int v = 0; v < parity_vectors; ++v) {
    store(even[v], even_sums + v * lanes);
    store(side == to_right ? -odd[v] : odd[v], odd_sums + v * lanes);
  }
  const std::int64_t terms = tables.terms;
  for (std::int64_t t = 0; t < terms; t += lanes) {
    Doubles even_part = load(state + t), odd_part{};
    for (int i = 0; i < tables.degree / 2 + 1; ++i) {
      even_part += even_sums[i] * load(tables.even_moment + i * terms + t);
      odd_part += odd_sums[i] * load(tables.odd_moment + i * terms + t);
    }
    store(even_part + odd_part, state + t);
  }
}

/// state = before * exp(-a chunk_cells) + what the sources of the chunk bring.
template <Towards side>
[[gnu::always_inline]] inline void pass_chunk(const Sweep& sweep, const Field& field,
                                              std::int64_t chunk, const double* before,
                                              double* state) {
  if (sweep.exactly) {
    step_exactly(side, sweep, field, chunk, before, state);
    return;
  }
  const std::int64_t terms = sweep.tables.terms;
  const double* const decay = sweep.tables.chunk_decay;
  for (std::int64_t t = 0; t < terms; t += lanes) {
    store(load(before + t) * load(decay + t), state + t);
  }
  const SourceRange range = sweep.sources_of_chunk[chunk];
  if (range.end - range.begin <= few_sources_of_chunk) {
    add_sources<side>(sweep, field.amounts, range, state);
  } else {
    add_many_sources<side>(sweep, field.amounts, range, state);
  }
}

}  // namespace

void step_right(const Sweep& sweep, const Field& field, std::int64_t chunk, double* state) {
  pass_chunk<to_right>(sweep, field, chunk, state, state);
}
void step_left(const Sweep& sweep, const Field& field, std::int64_t chunk, const double* before,
               double* state) {
  pass_chunk<to_left>(sweep, field, chunk, before, state);
}

void pass_right(const Sweep& sweep, const Field& field, std::int64_t first, std::int64_t end,
                double* state) {
  for (std::int64_t c = first; c < end; ++c) step_right(sweep, field, c, state);
}
void pass_left(const Sweep& sweep, const Field& field, std::int64_t last, std::int64_t first,
               double* state) {
  for (std::int64_t c = last; c > first; --c) step_left(sweep, field, c, state, state);
}

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET::convolution
