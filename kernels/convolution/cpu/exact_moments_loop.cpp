#include "kernels/convolution/cpu/sweep_loops.hpp"

// A state passes a chunk by the exponentials themselves: the chunk's sources come to it, and those
// that end there leave it. These sums are formed beside the state, so that what passes is rounded
// once for all of them.

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET::convolution {

namespace {

/// exp(-a distance) for some vectors of terms, from term t on.
template <int vectors>
[[gnu::always_inline]] inline void decay(const SweepTables& tables, std::int64_t distance,
                                         std::int64_t t, Doubles (&factors)[vectors]) {
  constexpr std::int64_t values = digit_values;
  const double* const cells = tables.decay_digits + t;
  const double* const chunks = cells + chunk_cells * tables.terms;
  const double* const cell_rows = cells + distance % chunk_cells * tables.terms;
  const double* const chunk_rows = chunks + distance / chunk_cells % values * tables.terms;
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) {
    factors[v] = load(cell_rows + v * lanes) * load(chunk_rows + v * lanes);
  }
  const double* digit = chunks + values * tables.terms;
  for (std::int64_t rest = distance / (chunk_cells * values); rest > 0; rest /= values) {
    const double* const row = digit + rest % values * tables.terms;
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) factors[v] *= load(row + v * lanes);
    digit += values * tables.terms;
  }
}

/// The sums of amount * exp(-a distance) over a range, for some vectors of terms. A short range is
/// added one amount after the other; the sum of a long one is the sum of its halves.
template <int vectors>
void sum_of_range(const SweepTables& tables, const std::int64_t* distances, const double* amounts,
                  IndexRange range, std::int64_t t, double* sums) {
  Doubles result[vectors] = {};
  if (range.end - range.begin > decayed_in_a_row) {
    alignas(64) double second[vectors * lanes];
    const std::int64_t middle = range.begin + (range.end - range.begin) / 2;
    sum_of_range<vectors>(tables, distances, amounts, {range.begin, middle}, t, sums);
    sum_of_range<vectors>(tables, distances, amounts, {middle, range.end}, t, second);
    for (int v = 0; v < vectors; ++v) result[v] = load(sums + v * lanes) + load(second + v * lanes);
  } else {
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      alignas(sizeof(Doubles)) Doubles factors[vectors];
      decay<vectors>(tables, distances[i], t, factors);
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) result[v] += amounts[i] * factors[v];
    }
  }
  for (int v = 0; v < vectors; ++v) store(result[v], sums + v * lanes);
}

template <int vectors>
[[gnu::always_inline]] inline void step_terms(Towards side, const Sweep& sweep, const Field& field,
                                              std::int64_t chunk, std::int64_t t,
                                              const double* before, double* state) {
  const SweepTables& tables = sweep.tables;
  Doubles coming[vectors] = {};
  alignas(64) double leaving[vectors * lanes] = {};
  const IndexRange sources = sweep.sources_of_chunk[chunk];
  for (std::int64_t i = sources.begin; i < sources.end; ++i) {
    const double amount = field.amounts[i];
    const double* const moment = tables.moment + row_of(side, sweep.offsets[i]) * tables.terms + t;
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) coming[v] += amount * load(moment + v * lanes);
  }
  if (field.exits[side] != nullptr) {
    sum_of_range<vectors>(tables, field.exit_distances, field.exit_amounts,
                          field.exits[side][chunk], t, leaving);
  }
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) {
    const std::int64_t place = t + v * lanes;
    store(load(before + place) * load(tables.chunk_decay + place) +
              (coming[v] - load(leaving + v * lanes)),
          state + place);
  }
}

constexpr int together = 4;  // sums, each with its factors, stay in registers

}  // namespace

void step_exactly(Towards side, const Sweep& sweep, const Field& field, std::int64_t chunk,
                  const double* before, double* state) {
  const std::int64_t terms = sweep.tables.terms;
  std::int64_t t = 0;
  for (; t + together * lanes <= terms; t += together * lanes) {
    step_terms<together>(side, sweep, field, chunk, t, before, state);
  }
  for (; t < terms; t += lanes) step_terms<1>(side, sweep, field, chunk, t, before, state);
}

void sum_decayed(const SweepTables& tables, const std::int64_t* distances, const double* amounts,
                 std::int64_t count, double* sums) {
  std::int64_t t = 0;
  for (; t + together * lanes <= tables.terms; t += together * lanes) {
    sum_of_range<together>(tables, distances, amounts, {0, count}, t, sums + t);
  }
  for (; t < tables.terms; t += lanes) {
    sum_of_range<1>(tables, distances, amounts, {0, count}, t, sums + t);
  }
}

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET::convolution
