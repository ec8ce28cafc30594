#include "kernels/convolution/cpu/sweep_loops.hpp"

// The states of the chunks of a block. B comes from behind and is stored for all chunks first; A is
// carried along, group by group, while they are evaluated.

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET::convolution {

namespace {

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

/// Chunk c is evaluated with A(c - 1) and B(c + 1): what they sum up is a whole chunk away.
void enter_block(const Sweep& sweep, const Field& field, std::int64_t block,
                 const BlockStates& states) {
  const std::int64_t terms = sweep.tables.terms;
  const std::int64_t first = block * block_chunks;
  const std::int64_t count = smaller(block_chunks, sweep.chunks - first);
  copy(field.left + block * terms, terms, states.behind + (count - 1) * terms);
  for (std::int64_t c = first + count - 2; c >= first; --c) {
    double* const state = states.behind + (c - first) * terms;
    if (c + 2 == sweep.chunks) {
      copy(field.behind, terms, state);
    } else {
      // Amounts that this thread has not read yet, in an order that processors do not foresee.
      const SourceRange soon = sweep.sources_of_chunk[c];
      for (std::int64_t i = soon.begin; i < soon.end; i += line_doubles) {
        __builtin_prefetch(field.amounts + i);
      }
      step_left(sweep, field, c + 2, state + terms, state);
    }
  }
  copy(field.right + block * terms, terms, states.before);
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
      copy(field.before, terms, states.before);
    } else {
      step_right(sweep, field, chunk + c - 1, states.before);
    }
  }
}

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET::convolution
