#include "kernels/convolution/cpu/sweep_loops.hpp"

// A block: the sums of the storm, added to the cells group by group, and the relaxation, a group
// later. The layer is read and written once.

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET::convolution {

namespace {

constexpr double zeros[group_cells] = {};

[[gnu::always_inline]] inline Doubles as_doubles(const float* from) {
  return __builtin_convertvector(*reinterpret_cast<const Floats*>(from), Doubles);
}
[[gnu::always_inline]] inline Doubles absolute(Doubles v) {
  return v < 0 ? -v : v;
}

/// The sums of a storm in the cells of a group.
[[gnu::always_inline]] inline void sum_up(const Sweep& sweep, const Field& field,
                                          const BlockStates& states, std::int64_t chunk,
                                          double* sums) {
  meet_group(sweep, field, chunk, states);
  far_sums(sweep.tables, states, sums);
  add_near(sweep, field.amounts, chunk, sums);
}

/// Adds it to their values before the storm.
[[gnu::always_inline]] inline void add_to_values(const double* before, const double* sums,
                                                 double* values) {
  for (std::int64_t i = 0; i < group_cells; i += lanes) {
    store(load(before + i) + load(sums + i), values + i);
  }
}

/// And to their uncertainties, (2) and the rounding of (3) in docs/methods.md, The bound.
[[gnu::always_inline]] inline void add_to_uncertainties(const UncertaintyGrowth& storm,
                                                        const float* known, const double* before,
                                                        const double* sums, const double* values,
                                                        double* uncertainties) {
  for (std::int64_t i = 0; i < group_cells; i += lanes) {
    const Doubles here = as_doubles(known + i);
    store(here + storm.growth * (here + absolute(load(before + i))) + load(sums + i) +
              storm.rounding * absolute(load(values + i)),
          uncertainties + i);
  }
}

/// Keeps what is needed to relax the cells at the borders of blocks and what stays at the ends of
/// the layer.
void keep_edges(const Sweep& sweep, Field& field, std::int64_t block, std::int64_t cells,
                const double* values) {
  for (int i = 0; i < 2; ++i) {
    field.edges[block][i] = values[i];
    field.edges[block][2 + i] = values[cells - 2 + i];
    const std::int64_t end = sweep.ends[i] - block * block_cells;
    if (end >= 0 && end < cells) field.ends[i] = values[end];
  }
}

/// Means of cells i-1, i, i+1 for consecutive i from the given one.
[[gnu::always_inline]] inline Doubles means(const double* cell) {
  return (load(cell - 1) + load(cell) + load(cell + 1)) * (1.0 / 3);
}

/// Relaxes a group of cells; returns the largest value + uncertainty.
template <bool tracked>
double relax_group(const double* values, const double* uncertainties, double* layer,
                   float* uncertainty) {
  Doubles highest = -__builtin_inf() + Doubles{};
  for (std::int64_t i = 0; i < group_cells; i += lanes) {
    Doubles bound = means(values + i);
    store(bound, layer + i);
    if constexpr (tracked) {
      const Floats up =
          __builtin_convertvector(means(uncertainties + i) * bound_raise + least_bound, Floats);
      store(up, uncertainty + i);
      bound += __builtin_convertvector(up, Doubles);
    }
    highest = highest > bound ? highest : bound;
  }
  double top = highest[0];
  for (int lane = 1; lane < lanes; ++lane) top = top > highest[lane] ? top : highest[lane];
  return top;
}

}  // namespace

void apply_block(const Sweep& sweep, std::int64_t block, Field* fields, const BlockStates* states) {
  const bool tracked = sweep.uncertainty != nullptr;
  const int count = tracked ? 2 : 1;
  const std::int64_t first = block * block_chunks;
  const std::int64_t chunks = smaller(block_chunks, sweep.chunks - first);
  const std::int64_t cells = chunks * chunk_cells;
  for (int f = 0; f < count; ++f) enter_block(sweep, fields[f], block, states[f]);
  alignas(64) double sums[group_cells];
  double* const layer = sweep.layer + block * block_cells;
  float* const uncertainty = tracked ? sweep.uncertainty + block * block_cells : nullptr;
  double* const values = states[0].values;
  double* const uncertainties = states[1].values;
  // The cell behind the last one: a longer block may have left a value there.
  values[cells] = uncertainties[cells] = 0;
  const auto relax = [&](std::int64_t i) {
    sweep.highest[(block * block_cells + i) / group_cells] =
        tracked ? relax_group<true>(values + i, uncertainties + i, layer + i, uncertainty + i)
                : relax_group<false>(values + i, nullptr, layer + i, nullptr);
  };

  for (std::int64_t i = 0; i < cells; i += group_cells) {
    const std::int64_t chunk = first + i / chunk_cells;
    const double* const before = sweep.fresh ? zeros : layer + i;
    for (std::int64_t k = 0; k < group_cells && i + group_cells < cells; k += line_doubles) {
      // On its way while this group is evaluated.
      __builtin_prefetch(layer + i + group_cells + k);
    }
    sum_up(sweep, fields[0], states[0], chunk, sums);
    add_to_values(before, sums, values + i);
    if (tracked) {
      sum_up(sweep, fields[1], states[1], chunk, sums);
      add_to_uncertainties(sweep.growth, uncertainty + i, before, sums, values + i,
                           uncertainties + i);
    }
    if (i > 0) relax(i - group_cells);  // its values are in the first-level cache
  }
  relax(cells - group_cells);
  for (int f = 0; f < count; ++f) keep_edges(sweep, fields[f], block, cells, states[f].values);
}

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET::convolution
