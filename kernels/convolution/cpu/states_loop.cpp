#include "kernels/convolution/cpu/sweep_loops.hpp"

// The states on their way from chunk to chunk: they decay, and the chunk's sources come to them. In
// a block that is evaluated B comes from behind and is stored for all chunks first; A is carried
// along, group by group.

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET::convolution {

namespace {

/// One source after the other, by the exponentials themselves.
[[gnu::always_inline]] inline void add_sources(Towards side, const Sweep& sweep,
                                               const double* amounts, IndexRange range,
                                               double* state) {
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
[[gnu::always_inline]] inline void add_many_sources(Towards side, const Sweep& sweep,
                                                    const double* amounts, IndexRange range,
                                                    double* state) {
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

/// State A(chunk), `before`, becomes A(chunk + 1), or B(chunk) becomes B(chunk - 1): before *
/// exp(-a chunk_cells) + what the sources of the chunk bring.
void step(Towards side, const Sweep& sweep, const Field& field, std::int64_t chunk,
          const double* before, double* state) {
  if (sweep.exactly) {
    step_exactly(side, sweep, field, chunk, before, state);
    return;
  }
  const std::int64_t terms = sweep.tables.terms;
  const double* const decay = sweep.tables.chunk_decay;
  for (std::int64_t t = 0; t < terms; t += lanes) {
    store(load(before + t) * load(decay + t), state + t);
  }
  const IndexRange range = sweep.sources_of_chunk[chunk];
  if (range.end - range.begin <= few_sources_of_chunk) {
    add_sources(side, sweep, field.amounts, range, state);
  } else {
    add_many_sources(side, sweep, field.amounts, range, state);
  }
}

[[gnu::always_inline]] inline void copy(const double* from, std::int64_t terms, double* to) {
  for (std::int64_t t = 0; t < terms; t += lanes) store(load(from + t), to + t);
}

/// The states on either side of chunk c of a group.
template <bool polynomials_serve>
[[gnu::always_inline]] inline void meet(const BlockStates& states, const double* behind,
                                        std::int64_t terms, std::int64_t c) {
  for (std::int64_t t = 0; t < terms; t += lanes) {
    const Doubles a = load(states.before + t);
    const Doubles b = load(behind + t);
    store(polynomials_serve ? a + b : a, states.sum + place(t, c));
    store(polynomials_serve ? a - b : b, states.difference + place(t, c));
  }
}

}  // namespace

void pass(Towards side, const Sweep& sweep, const Field& field, std::int64_t from, std::int64_t to,
          double* state) {
  const std::int64_t one = side == to_right ? 1 : -1;
  for (std::int64_t c = from; c != to; c += one) step(side, sweep, field, c, state, state);
}

/// Chunk c is evaluated with A(c - 1) and B(c + 1): what they sum up is a whole chunk away.
void enter_block(const Sweep& sweep, const Field& field, std::int64_t block,
                 const BlockStates& states) {
  const std::int64_t terms = sweep.tables.terms;
  const std::int64_t first = block * block_chunks;
  const std::int64_t count = smaller(block_chunks, sweep.chunks - first);
  copy(field.at_block[to_left] + block * terms, terms, states.behind + (count - 1) * terms);
  for (std::int64_t c = first + count - 2; c >= first; --c) {
    double* const state = states.behind + (c - first) * terms;
    if (c + 2 == sweep.chunks) {
      copy(field.outside[to_left], terms, state);
    } else {
      // Amounts that this thread has not read yet, in an order that processors do not foresee.
      const IndexRange soon = sweep.sources_of_chunk[c];
      for (std::int64_t i = soon.begin; i < soon.end; i += line_doubles) {
        __builtin_prefetch(field.amounts + i);
      }
      step(to_left, sweep, field, c + 2, state + terms, state);
    }
  }
  copy(field.at_block[to_right] + block * terms, terms, states.before);
}

void meet_group(const Sweep& sweep, const Field& field, std::int64_t chunk,
                const BlockStates& states) {
  const std::int64_t terms = sweep.tables.terms;
  const std::int64_t place_in_block = chunk % block_chunks;
  for (std::int64_t c = 0; c < group_chunks; ++c) {
    const double* const behind = states.behind + (place_in_block + c) * terms;
    if (sweep.tables.target == nullptr) {
      meet<true>(states, behind, terms, c);
    } else {
      meet<false>(states, behind, terms, c);
    }
    if (chunk + c == 0) {
      copy(field.outside[to_right], terms, states.before);
    } else {
      step(to_right, sweep, field, chunk + c - 1, states.before, states.before);
    }
  }
}

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET::convolution
