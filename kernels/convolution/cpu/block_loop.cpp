#include "kernels/convolution/cpu/sweep_loops.hpp"

// A block, group by group: the layer is read and written once.

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
    if (first) field.edges[block].first[i] = values[i];
    if (last) field.edges[block].last[i] = values[group_cells - 2 + i];
    if (sweep.ends[i] >= cell && sweep.ends[i] < cell + group_cells) {
      field.ends[i] = values[sweep.ends[i] - cell];
    }
  }
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
