#include "kernels/convolution/cpu/sweep_loops.hpp"

// The relaxation, a group of cells at a time.

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET::convolution {

namespace {

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

}  // namespace

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

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET::convolution
