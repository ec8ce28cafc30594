#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "bombard/storm.hpp"
#include "kernels/layer/cell_range.hpp"
#include "kernels/layer/reach.hpp"

namespace bombard {

/// The reaches of energies (kernels/layer/reach.hpp), each found once.
class Reaches {
 public:
  template <class AnyRule>
  explicit Reaches(const AnyRule& rule)
      : find_([rule](std::int32_t energy) { return reach(rule, energy); }) {}

  /// The reach of an energy in thousands. Its sign has no influence.
  std::int64_t of(std::int32_t energy);

 private:
  std::function<std::int64_t(std::int32_t)> find_;
  /// Reaches by the magnitude of the energy: small ones in an array, -1 while unknown, others in a
  /// map.
  std::vector<std::int64_t> of_small_;
  std::unordered_map<std::int64_t, std::int64_t> of_large_;
};

/// No cell of these counts more of the impacts: an upper bound, near the number of those that reach
/// the most crowded cell.
std::int64_t most_in_a_cell(std::span<const Impact> impacts, Reaches& reaches,
                            const CellRange& cells);

}  // namespace bombard
