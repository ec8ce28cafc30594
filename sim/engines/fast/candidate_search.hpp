#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/engines/costs.hpp"
#include "sim/engines/engine.hpp"
#include "sim/engines/fast/exact_cells.hpp"
#include "sim/engines/fast/screening.hpp"
#include "sim/ranks/communicator.hpp"

namespace bombard {

/// Confirms a storm's candidates on a processor (screen_and_confirm.hpp): the rule's highest peaks
/// among cells that include every one that may be one of them, the most promising first.
class CandidateSearch {
 public:
  /// `screening` of the fast layer of `total` cells after the storm, the last one that `exact`
  /// knows. The search may cost no more than `limits`.
  CandidateSearch(std::int64_t total, const Screening& screening, ExactCells& exact,
                  const SearchLimits& limits);

  /// As Screening has them. None when candidates cost more than that.
  std::optional<std::vector<CellValue>> highest_peaks(std::size_t count);

  /// The maximum where `others` search the rest of the layer (EngineOptions): it may lie there, or
  /// be none. Each rank gets the same number of candidates, for all may lie in one slab. `able`
  /// says whether `exact` can compute every cell of the layer: if not, this rank keeps its own
  /// candidates.
  std::optional<Maximum> search_with(Communicator& others, bool able);
  /// Takes part in search_with() of the others, with a maximum that is known already.
  static void tell(Communicator& others, double maximum);

  /// The cost so far.
  double interactions() const { return interactions_; }
  /// The number of cells that the search computed by the rule.
  std::int64_t candidates() const { return candidates_; }

 private:
  using Cells = std::vector<std::int64_t>;

  ExactCells::Plan plan(const Cells& cells) const;
  bool affordable(const ExactCells::Plan& plan) const;
  std::vector<CellValue> confirmed(const Cells& cells, const ExactCells::Plan& plan);
  std::optional<std::vector<CellValue>> try_to_confirm(const Cells& cells);

  std::int64_t total_;
  const Screening& screening_;
  ExactCells& exact_;
  SearchLimits limits_;
  std::size_t most_cells_;  ///< for which the limits are enough
  double interactions_ = 0;
  std::int64_t candidates_ = 0;
};

}  // namespace bombard
