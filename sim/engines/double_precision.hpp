#pragma once

#include <fmt/format.h>

#include "inputs/errors.hpp"
#include "inputs/storm.hpp"
#include "kernels/layer/part.hpp"
#include "sim/engines/storm_extent.hpp"

namespace bombard {

/// The error that double precision asks of the convolution, relative to the sum over |energy|:
/// about what binary64 allows.
inline constexpr double double_precision_error = 1e-12;

/// Exponential sums add every share: throws InputError, naming the storm, when the rule would leave
/// one out in a cell held (`smallest` is T/L). `found` is the storm's extent.
template <class Law>
void require_every_share(const Storm& storm, const StormExtent& found, const Part& part,
                         float smallest) {
  if (every_share_counts<Law>(storm, found, part.held, part.total, smallest)) return;
  throw InputError(
      fmt::format("{}: some of its shares are below the threshold in some cells, but double "
                  "precision adds them all; take --threshold 0, or --precision single",
                  storm.name));
}

}  // namespace bombard
