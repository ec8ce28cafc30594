#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/base/timer.hpp"
#include "solvers/jacobi/sweeps.hpp"

namespace bombard {

/// Iterates by iterate(sweeps), which goes on from the last x with at most `sweeps` iterations, in
/// slices of about a tenth of a second, and calls stop.interrupt between them; all at once without
/// one. An iterate depends on the one before it alone, so slices change no digit.
template <class Iterate>
JacobiProgress in_slices(const JacobiStop& stop, const Iterate& iterate) {
  if (!stop.interrupt) return iterate(stop.limit);
  constexpr double slice_seconds = 0.1;
  JacobiProgress all;
  std::int64_t sweeps = 1;
  while (all.iterations < stop.limit && !all.converged && !std::isnan(all.change)) {
    stop.interrupt();
    const WallTimer timer;
    const JacobiProgress slice = iterate(std::min(sweeps, stop.limit - all.iterations));
    all = {all.iterations + slice.iterations, slice.change, slice.converged};
    if (timer.seconds() < slice_seconds / 2) sweeps *= 2;
  }
  return all;
}

}  // namespace bombard
