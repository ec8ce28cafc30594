#include "kernels/convolution/cpu/outside.hpp"

#include <algorithm>

namespace bombard::cpu {

OutsideImpacts::OutsideImpacts(const LayerStorm& storm, const PaddedRange& padded) {
  const auto add = [&](std::size_t i, std::int64_t distance, OneSide& side) {
    side.distances.push_back(distance);
    side.amounts[0].push_back(storm.impacts[i].energy);
    if (!storm.uncertainty) return;
    side.amounts[1].push_back(storm.energy_uncertainty(static_cast<std::int64_t>(i)));
  };
  for (std::size_t i = 0; i < storm.impacts.size(); ++i) {
    const auto& [position, energy] = storm.impacts[i];
    if (energy == 0) continue;
    if (position < padded.first) {
      if (padded.before_counts) add(i, padded.first - position + 1, before_);
    } else if (position >= padded.end) {
      if (padded.behind_counts) add(i, position - padded.end + 2, behind_);
    }
  }
}

std::int64_t OutsideImpacts::farthest() const {
  std::int64_t farthest = 0;
  for (const OneSide* side : {&before_, &behind_}) {
    for (const std::int64_t distance : side->distances) farthest = std::max(farthest, distance);
  }
  return farthest;
}

AlignedDoubles OutsideImpacts::sum(const OneSide& side, int field, const SweepTables& tables,
                                   const SweepKernels& kernels) {
  AlignedDoubles state(static_cast<std::size_t>(tables.terms));
  if (side.distances.empty()) return state;
  const std::vector<double>& amounts = side.amounts[field];
  kernels.sum_decayed(tables, side.distances.data(), amounts.data(),
                      static_cast<std::int64_t>(amounts.size()), state.data());
  return state;
}

}  // namespace bombard::cpu
