#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "inputs/storm.hpp"
#include "kernels/deposit.hpp"
#include "kernels/scaled_impact.hpp"

namespace bombard {

/// Where a storm's impacts lie, and the weakest of them. Impacts without energy do not count.
struct StormExtent {
  std::int64_t impacts = 0;
  std::int64_t lowest = largest_position;
  std::int64_t highest = -largest_position;
  std::int64_t weakest = std::int64_t{1} << 31;  ///< the least |energy|
  bool negative = false;                         ///< whether an energy is
  friend bool operator==(const StormExtent&, const StormExtent&) = default;

  void add(const Impact& impact) {
    if (impact.energy == 0) return;
    ++impacts;
    lowest = std::min(lowest, impact.position);
    highest = std::max(highest, impact.position);
    weakest = std::min(weakest, std::abs(std::int64_t{impact.energy}));
    negative |= impact.energy < 0;
  }

  /// Impacts of the same storm, looked at by another thread.
  void add(const StormExtent& others) {
    impacts += others.impacts;
    lowest = std::min(lowest, others.lowest);
    highest = std::max(highest, others.highest);
    weakest = std::min(weakest, others.weakest);
    negative |= others.negative;
  }

  /// Whether the rule is known to add every share in the cells first .. first+cells-1 of a layer of
  /// `total`: the weakest energy at both outermost positions decides for all.
  template <class Law>
  bool every_share_counts(std::int64_t first, std::int64_t cells, std::int64_t total,
                          float smallest) const {
    if (impacts == 0) return true;
    const float energy = scaled_energy(weakest, total);
    return counts_everywhere<Law>({lowest, energy}, first, cells, smallest) &&
           counts_everywhere<Law>({highest, energy}, first, cells, smallest);
  }
};

/// Writes impacts as so many deposits, their positions counted from cell `first`, and says where
/// the impacts lie, in one pass. Those without energy are written, too: they change nothing.
inline StormExtent write_deposits(std::span<const Impact> impacts, std::int64_t first,
                                  Deposit* deposits) {
  StormExtent found;
  for (const Impact& impact : impacts) {
    found.add(impact);
    *deposits++ = {impact.position - first, impact.energy, 0};
  }
  return found;
}

/// Writes impacts as so many deposits on `cells` cells, fewer than 2^32, from `first` on, by their
/// numbers: what falls on none of them is appended to `others`, positions counted from `first`, and
/// its place taken by a deposit of nothing.
inline void write_cell_deposits(std::span<const Impact> impacts, std::int64_t first,
                                std::int64_t cells, CellDeposit* deposits,
                                std::vector<Deposit>& others) {
  const auto outside = [cells](std::int64_t cell) { return cell < 0 || cell >= cells; };
  // Outside there are none, as a rule, and a loop that only looks is as quick as memory.
  bool any_outside = false;
  CellDeposit* to = deposits;
  for (const Impact& impact : impacts) {
    const std::int64_t cell = impact.position - first;
    any_outside |= outside(cell);
    *to++ = {static_cast<std::uint32_t>(cell), impact.energy};
  }
  if (!any_outside) return;
  for (const Impact& impact : impacts) {
    const std::int64_t cell = impact.position - first;
    if (outside(cell)) {
      others.push_back({cell, impact.energy, 0});
      *deposits = {0, 0};
    }
    ++deposits;
  }
}

}  // namespace bombard
