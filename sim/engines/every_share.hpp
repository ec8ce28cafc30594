#pragma once

#include <fmt/format.h>

#include <algorithm>

#include "inputs/errors.hpp"
#include "inputs/storm.hpp"
#include "sim/engines/engine.hpp"
#include "sim/engines/storm_extent.hpp"

namespace bombard {

/// Exponential sums add every share: throws InputError, naming the storm, when the rule would leave
/// one out in a cell held (`smallest` is T/L). `found` is the storm's extent.
template <class Law>
void require_every_share(const Storm& storm, const StormExtent& found, const PartWithMargin& held,
                         std::int64_t total, float smallest) {
  if (found.every_share_counts<Law>(held.first, held.count, total, smallest)) return;
  const bool every_one = std::ranges::all_of(storm.impacts, [&](const Impact& impact) {
    const ScaledImpact scaled{impact.position, scaled_energy(impact.energy, total)};
    return impact.energy == 0 || counts_everywhere<Law>(scaled, held.first, held.count, smallest);
  });
  if (every_one) return;
  throw InputError(
      fmt::format("{}: some of its shares are below the threshold in some cells, but double "
                  "precision adds them all; take --threshold 0, or --precision single",
                  storm.name));
}

}  // namespace bombard
