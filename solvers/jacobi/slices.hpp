#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/base/timer.hpp"
#include "solvers/jacobi/jacobi.hpp"
#include "solvers/jacobi/sweeps.hpp"

namespace bombard {

/// Iterates by iterate(sweeps), which goes on from the last x with at most so many, in slices of
/// about a tenth of a second, and calls options.interrupt between them; all at once without one.
/// An iterate depends on the one before it alone, so slices change no digit.
template <class Iterate>
JacobiProgress in_slices(const JacobiOptions& options, const Iterate& iterate) {
  if (!options.interrupt) return iterate(options.iteration_limit);
  constexpr double slice_seconds = 0.1;
  JacobiProgress all;
  std::int64_t sweeps = 1;
  while (all.iterations < options.iteration_limit && !all.converged && !std::isnan(all.change)) {
    options.interrupt();
    const WallTimer timer;
    const JacobiProgress slice =
        iterate(std::min(sweeps, options.iteration_limit - all.iterations));
    all = {all.iterations + slice.iterations, slice.change, slice.converged};
    if (timer.seconds() < slice_seconds / 2) sweeps *= 2;
  }
  return all;
}

}  // namespace bombard
