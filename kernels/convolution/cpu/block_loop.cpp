#include "kernels/convolution/cpu/sweep_loops.hpp"

// The work on a block: the sums of the storm are added to its cells group by group, and the cells
// are relaxed a group later. The layer is read and written once.

namespace bombard::cpu::convolution {

namespace {

constexpr double zeros[group_cells] = {};
// Cells are relaxed when those after them are known: the last vectors of a group together with the
// next group.
constexpr std::int64_t later = line_doubles, kept = 2 * line_doubles;

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

/// Fetches half of the cells of the next group while this one is evaluated: a CPU that asks for all
/// of them at once has to wait for some.
[[gnu::always_inline]] inline void fetch_half(const double* group) {
  for (std::int64_t i = 0; i < group_cells / 2; i += line_doubles) __builtin_prefetch(group + i);
}

/// Adds the sums to the cells' values before the storm.
[[gnu::always_inline]] inline void add_to_values(const double* before, const double* sums,
                                                 double* values) {
  for (std::int64_t i = 0; i < group_cells; i += lanes) {
    store(load(before + i) + load(sums + i), values + i);
  }
}

/// Adds to their uncertainties, by (2) and the rounding in (3) of docs/methods.md, The bound.
[[gnu::always_inline]] inline void add_to_uncertainties(const StormUncertainty& storm,
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

/// From the group that begins with cell i of a block of `cells` cells, keeps what is needed to
/// relax the cells at the borders of blocks, and the ends of the layer, which stay as they are.
[[gnu::always_inline]] inline void keep_edges(const Sweep& sweep, Field& field, std::int64_t block,
                                              std::int64_t i, std::int64_t cells,
                                              const double* values) {
  for (int k = 0; k < 2; ++k) {
    if (i == 0) field.edges[block][k] = values[k];
    if (i + group_cells == cells) field.edges[block][2 + k] = values[group_cells - 2 + k];
    const std::int64_t end = sweep.ends[k] - block * sweep.block_chunks * chunk_cells - i;
    if (end >= 0 && end < group_cells) field.ends[k] = values[end];
  }
}

/// The means of cells i-1, i, i+1 for consecutive i from the given cell on.
[[gnu::always_inline]] inline Doubles means(const double* cell) {
  return (load(cell - 1) + load(cell) + load(cell + 1)) * (1.0 / 3);
}

/// Relaxes cells begin .. end-1; returns the largest value + uncertainty.
template <bool tracked>
double relax_cells(const double* values, const double* uncertainties, std::int64_t begin,
                   std::int64_t end, double* layer, float* uncertainty) {
  Doubles highest = -__builtin_inf() + Doubles{};
  for (std::int64_t i = begin; i < end; i += lanes) {
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
  const std::int64_t first = block * sweep.block_chunks, first_cell = first * chunk_cells;
  const std::int64_t chunks = smaller(sweep.block_chunks, sweep.chunks - first);
  const std::int64_t cells = chunks * chunk_cells;
  for (int f = 0; f < count; ++f) enter_block(sweep, fields[f], block, states[f]);
  double* const layer = sweep.layer + first_cell;
  float* const uncertainty = tracked ? sweep.uncertainty + first_cell : nullptr;
  // The numbers of a group after the impacts, preceded by the last ones of the group before.
  alignas(64) double sums[group_cells], windows[2][kept + group_cells];
  double *const values = windows[0] + kept, *const uncertainties = windows[1] + kept;
  values[-1] = uncertainties[-1] = 0;
  const auto relax = [&](std::int64_t i, std::int64_t begin, std::int64_t end) {
    double& highest = sweep.highest[(first_cell + i + begin) / group_cells];
    const double top =
        tracked ? relax_cells<true>(values, uncertainties, begin, end, layer + i, uncertainty + i)
                : relax_cells<false>(values, nullptr, begin, end, layer + i, nullptr);
    highest = begin < 0 && highest > top ? highest : top;
  };

  for (std::int64_t i = 0; i < cells; i += group_cells) {
    const std::int64_t chunk = first + i / chunk_cells;
    const double* const before = sweep.fresh ? zeros : layer + i;
    const double* const next = layer + smaller(i + group_cells, cells - group_cells);
    fetch_half(next);
    sum_up(sweep, fields[0], states[0], chunk, sums);
    fetch_half(next + group_cells / 2);
    add_to_values(before, sums, values);
    keep_edges(sweep, fields[0], block, i, cells, values);
    if (tracked) {
      sum_up(sweep, fields[1], states[1], chunk, sums);
      add_to_uncertainties(sweep.of_storm, uncertainty + i, before, sums, values, uncertainties);
      keep_edges(sweep, fields[1], block, i, cells, uncertainties);
    }
    if (i > 0) relax(i, -later, 0);
    relax(i, 0, group_cells - later);
    for (int f = 0; f < count; ++f) {
      for (std::int64_t k = 0; k < kept; k += lanes) {
        store(load(windows[f] + group_cells + k), windows[f] + k);
      }
    }
  }
  values[0] = uncertainties[0] = 0;  // the cell after the last one
  relax(cells, -later, 0);
}

}  // namespace bombard::cpu::convolution
