#include "kernels/convolution/cpu/sweep_loops.hpp"

// A block, group by group: the sums of the storm, added to the cells, and the relaxation. The layer
// is read and written once.

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET::convolution {

namespace {

constexpr double zeros[group_cells] = {};

/// Values of a group of cells, behind the last two of the group before. They begin with a line.
struct Window {
  static constexpr std::int64_t start = line_doubles;
  alignas(64) double cell[start + group_cells];
};

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
                                                 Window& values) {
  for (std::int64_t i = 0; i < group_cells; i += lanes) {
    store(load(before + i) + load(sums + i), values.cell + Window::start + i);
  }
}

/// And to their uncertainties, (2) and the rounding of (3) in docs/methods.md, The bound.
[[gnu::always_inline]] inline void add_to_uncertainties(const Sweep& sweep, std::int64_t cell,
                                                        const double* before, const double* sums,
                                                        const Window& values,
                                                        Window& uncertainties) {
  const UncertaintyGrowth& storm = sweep.growth;
  for (std::int64_t i = 0; i < group_cells; i += lanes) {
    const Doubles after = load(values.cell + Window::start + i);
    const Doubles known = as_doubles(sweep.uncertainty + cell + i);
    store(known + storm.growth * (known + absolute(load(before + i))) + load(sums + i) +
              storm.rounding * absolute(after),
          uncertainties.cell + Window::start + i);
  }
}

/// Keeps what is needed to relax the cells at the borders of blocks and what stays at the ends of
/// the layer.
[[gnu::always_inline]] inline void keep_edges(const Sweep& sweep, Field& field, std::int64_t block,
                                              bool first, bool last, std::int64_t cell,
                                              const Window& window) {
  const double* const values = window.cell + Window::start;
  for (int i = 0; i < 2; ++i) {
    if (first) field.edges[block][i] = values[i];
    if (last) field.edges[block][2 + i] = values[group_cells - 2 + i];
    if (sweep.ends[i] >= cell && sweep.ends[i] < cell + group_cells) {
      field.ends[i] = values[sweep.ends[i] - cell];
    }
  }
}

// The first two cells of a block need cells of the block before: they are left to it.
constexpr int left_out = 2;
// No number is lower.
constexpr double nothing = -__builtin_inf();

// The vectors are named: a deduced type would promise more alignment than there is.
[[gnu::always_inline]] inline void store_rest(Doubles values, double* to) {
  for (int i = left_out; i < lanes; ++i) to[i] = values[i];
}
[[gnu::always_inline]] inline void store_rest(Floats values, float* to) {
  for (int i = left_out; i < lanes; ++i) to[i] = values[i];
}

/// Means of cells i-2, i-1, i of a window for consecutive i from the first given.
[[gnu::always_inline]] inline Doubles means(const Window& window, std::int64_t i) {
  const double* const c = window.cell + Window::start + i;
  return (load(c - 2) + load(c - 1) + load(c)) * (1.0 / 3);
}

/// Relaxes a vector of cells; returns value + uncertainty.
template <bool tracked, bool at_border>
[[gnu::always_inline]] inline Doubles relax(const Window& values, const Window& uncertainties,
                                            std::int64_t i, double* layer, float* uncertainty) {
  Doubles bound = means(values, i);
  at_border ? store_rest(bound, layer) : store(bound, layer);
  if constexpr (tracked) {
    const Floats up =
        __builtin_convertvector(means(uncertainties, i) * bound_raise + least_bound, Floats);
    at_border ? store_rest(up, uncertainty) : store(up, uncertainty);
    bound += __builtin_convertvector(up, Doubles);
  }
  if (at_border) {
    for (int k = 0; k < left_out; ++k) bound[k] = nothing;
  }
  return bound;
}

template <bool tracked>
[[gnu::always_inline]] inline double relax_all(const Window& values, const Window& uncertainties,
                                               bool first_of_block, double* layer,
                                               float* uncertainty) {
  Doubles highest = first_of_block
                        ? relax<tracked, true>(values, uncertainties, 0, layer, uncertainty)
                        : relax<tracked, false>(values, uncertainties, 0, layer, uncertainty);
  for (std::int64_t i = lanes; i < group_cells; i += lanes) {
    const Doubles bound = relax<tracked, false>(values, uncertainties, i, layer + i,
                                                tracked ? uncertainty + i : nullptr);
    highest = highest > bound ? highest : bound;
  }
  double top = highest[0];
  for (int lane = 1; lane < lanes; ++lane) top = top > highest[lane] ? top : highest[lane];
  return top;
}

[[gnu::always_inline]] inline void move_on(Window& window) {
  for (std::int64_t i = -2; i < 0; ++i) {
    window.cell[Window::start + i] = window.cell[Window::start + group_cells + i];
  }
}

/// Relaxes cells i-1 for the cells i of the group that begins with `cell` of the padded layer, so
/// that only what was there before is needed: one cell late.
///
///     window      .. | -2 | -1 |  0 |  1 | .. | 255 |    after the impacts
///     written             | -1 |  0 |  1 | .. | 254      by block of the first group: from 1 on
///
/// Returns the largest value + uncertainty of those written, and moves both windows on.
double relax_group(const Sweep& sweep, std::int64_t cell, bool first_of_block, Window& values,
                   Window& uncertainties) {
  double* const layer = sweep.layer + cell - 1;
  const double highest =
      sweep.uncertainty == nullptr
          ? relax_all<false>(values, uncertainties, first_of_block, layer, nullptr)
          : relax_all<true>(values, uncertainties, first_of_block, layer,
                            sweep.uncertainty + cell - 1);
  move_on(values);
  move_on(uncertainties);
  return highest;
}

}  // namespace

void apply_block(const Sweep& sweep, std::int64_t block, Field* fields, const BlockStates* states) {
  const int count = sweep.uncertainty == nullptr ? 1 : 2;
  const std::int64_t first = block * block_chunks;
  const std::int64_t end = smaller(first + block_chunks, sweep.chunks);
  for (int f = 0; f < count; ++f) enter_block(sweep, fields[f], block, states[f]);
  alignas(64) double sums[group_cells];
  Window windows[2]{};

  for (std::int64_t chunk = first; chunk < end; chunk += group_chunks) {
    const std::int64_t cell = chunk * chunk_cells;
    const bool at_first = chunk == first, at_last = chunk + group_chunks == end;
    const double* const before = sweep.fresh ? zeros : sweep.layer + cell;
    for (std::int64_t i = 0; i < group_cells && !at_last; i += line_doubles) {
      // On its way while this group is evaluated.
      __builtin_prefetch(sweep.layer + cell + group_cells + i);
    }
    for (int f = 0; f < count; ++f) {
      sum_up(sweep, fields[f], states[f], chunk, sums);
      if (f == 0) {
        add_to_values(before, sums, windows[0]);
      } else {
        add_to_uncertainties(sweep, cell, before, sums, windows[0], windows[1]);
      }
      keep_edges(sweep, fields[f], block, at_first, at_last, cell, windows[f]);
    }
    sweep.highest[chunk / group_chunks] =
        relax_group(sweep, cell, at_first, windows[0], windows[1]);
  }
}

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET::convolution
