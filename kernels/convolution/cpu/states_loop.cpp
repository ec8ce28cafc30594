#include "kernels/convolution/cpu/sweep_loops.hpp"

// The states on their way from chunk to chunk: they decay, and the chunk's sources enter them. In a
// block that is evaluated, B comes from the right and is stored for all chunks first; A is carried
// along, group by group.

namespace bombard::cpu::convolution {

namespace {

template <int vectors>
[[gnu::always_inline]] inline void step_terms(Towards side, const Sweep& sweep, const Field& field,
                                              std::int64_t chunk, std::int64_t t,
                                              const double* before, double* state) {
  const SweepTables& tables = sweep.tables;
  Doubles coming[vectors] = {};
  const CellRange sources = sweep.sources_of_chunk[chunk];
  for (std::int64_t i = sources.begin; i < sources.end; ++i) {
    const double amount = field.amounts[i];
    const double* const moment = tables.moment + row_of(side, sweep.offsets[i]) * tables.terms + t;
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) coming[v] += amount * load(moment + v * lanes);
  }
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) {
    const std::int64_t place = t + v * lanes;
    store(load(before + place) * load(tables.chunk_decay + place) + coming[v], state + place);
  }
}

constexpr int together = 4;  // this number of sums, each with its factors, stays in registers

/// step() in general. What the chunk brings is summed up apart from the state, so that what passes
/// is rounded only once for all of it. This is not inlined, because its stack frame takes half as
/// long as an empty chunk.
[[gnu::noinline]] void step_sum(Towards side, const Sweep& sweep, const Field& field,
                                std::int64_t chunk, const double* before, double* state) {
  const std::int64_t terms = sweep.tables.terms;
  std::int64_t t = 0;
  for (; t + together * lanes <= terms; t += together * lanes) {
    step_terms<together>(side, sweep, field, chunk, t, before, state);
  }
  for (; t + 2 * lanes <= terms; t += 2 * lanes) {
    step_terms<2>(side, sweep, field, chunk, t, before, state);
  }
  for (; t < terms; t += lanes) step_terms<1>(side, sweep, field, chunk, t, before, state);
}

/// State A(chunk), `before`, becomes A(chunk + 1), or B(chunk) becomes B(chunk - 1): before *
/// exp(-a chunk_cells) + what the sources of the chunk bring. If there are few impacts, most chunks
/// have no source, or one.
void step(Towards side, const Sweep& sweep, const Field& field, std::int64_t chunk,
          const double* before, double* state) {
  const std::int64_t terms = sweep.tables.terms;
  const double* const decay = sweep.tables.chunk_decay;
  const auto [begin, end] = sweep.sources_of_chunk[chunk];
  if (end - begin > 1) return step_sum(side, sweep, field, chunk, before, state);
  if (begin == end) {
    for (std::int64_t t = 0; t < terms; t += lanes) {
      store(load(before + t) * load(decay + t), state + t);
    }
    return;
  }
  const double amount = field.amounts[begin];
  const double* const moment = sweep.tables.moment + row_of(side, sweep.offsets[begin]) * terms;
  for (std::int64_t t = 0; t < terms; t += lanes) {
    store(load(before + t) * load(decay + t) + amount * load(moment + t), state + t);
  }
}

[[gnu::always_inline]] inline void copy(const double* from, std::int64_t terms, double* to) {
  for (std::int64_t t = 0; t < terms; t += lanes) store(load(from + t), to + t);
}

/// Combines the states on either side of chunk c of a group.
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

void sum_decayed(const SweepTables& tables, const DistantAmounts* amounts, std::int64_t count,
                 int field, double* sums) {
  for (std::int64_t t = 0; t < tables.terms; t += lanes) {
    const Doubles a = load(tables.exponents + t);
    Doubles sum = {};
    for (std::int64_t i = 0; i < count; ++i) {
      sum += amounts[i].amounts[field] * decay(a * static_cast<double>(amounts[i].distance));
    }
    store(sum, sums + t);
  }
}

void pass(Towards side, const Sweep& sweep, const Field& field, std::int64_t from, std::int64_t to,
          double* state) {
  const std::int64_t one = side == to_right ? 1 : -1;
  for (std::int64_t c = from; c != to; c += one) step(side, sweep, field, c, state, state);
}

/// Chunk c is evaluated with A(c - 1) and B(c + 1), whose sources are at least a whole chunk away.
void enter_block(const Sweep& sweep, const Field& field, std::int64_t block,
                 const BlockStates& states) {
  const std::int64_t terms = sweep.tables.terms;
  const std::int64_t first = block * sweep.block_chunks;
  const std::int64_t count = smaller(sweep.block_chunks, sweep.chunks - first);
  copy(field.at_block[to_left] + block * terms, terms, states.behind + (count - 1) * terms);
  for (std::int64_t c = first + count - 2; c >= first; --c) {
    double* const state = states.behind + (c - first) * terms;
    if (c + 2 == sweep.chunks) {
      copy(state + terms, terms, state);
    } else {
      step(to_left, sweep, field, c + 2, state + terms, state);
    }
  }
  copy(field.at_block[to_right] + block * terms, terms, states.before);
}

void meet_group(const Sweep& sweep, const Field& field, std::int64_t chunk,
                const BlockStates& states) {
  const std::int64_t terms = sweep.tables.terms;
  const std::int64_t place_in_block = chunk & (sweep.block_chunks - 1);
  for (std::int64_t c = 0; c < group_chunks; ++c) {
    const double* const behind = states.behind + (place_in_block + c) * terms;
    if (sweep.tables.target == nullptr) {
      meet<true>(states, behind, terms, c);
    } else {
      meet<false>(states, behind, terms, c);
    }
    if (chunk + c > 0) step(to_right, sweep, field, chunk + c - 1, states.before, states.before);
  }
}

}  // namespace bombard::cpu::convolution
