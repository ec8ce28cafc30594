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

/// The largest peak among some cells and their neighbours, all evaluated; {0, 0} without one.
Maximum largest_peak(const ExactCells& exact, const CellRange& cells, std::int64_t total);

/// Confirms a storm's candidates on a processor (screen_and_confirm.hpp): the rule's maximum among
/// cells that include every one that may be it, the most promising first.
class CandidateSearch {
 public:
  /// `screening` of the fast layer after the storm, the last one that `exact` knows. The search may
  /// cost no more than `limits`.
  CandidateSearch(const Part& part, const Screening& screening, ExactCells& exact,
                  const SearchLimits& limits);

  /// None when candidates cost more than that.
  std::optional<Maximum> search();

  /// The same where `others` search the rest of the layer (EngineOptions): the maximum may lie
  /// there, or be none. Each rank gets the same number of candidates, for all may lie in one slab.
  /// `able` says whether `exact` can compute every cell of the layer: if not, this rank keeps its
  /// own candidates.
  std::optional<Maximum> search_with(Communicator& others, bool able);
  /// Takes part in search_with() of the others, with a maximum that is known already.
  static void tell(Communicator& others, double maximum);

  /// All peaks of the rule's layer that are at least `least` >= 0, the highest first, among equals
  /// the one of smallest position; none when they cost too much.
  std::optional<std::vector<CellValue>> peaks_from(double least);

  /// The cost so far.
  double interactions() const { return interactions_; }

  /// The number of cells that the search computed by the rule, and the bound on the relative
  /// difference of the layers at the fast one's peak, 0 without a peak.
  std::int64_t candidates() const { return candidates_; }
  double bound_at_peak() const { return bound_at_peak_; }

 private:
  using Plan = ExactCells::Plan;
  using Cells = std::vector<std::int64_t>;

  std::optional<Cells> candidates_between(double least, double most) const;
  Plan plan(const Cells& cells) const;
  bool affordable(const Plan& plan) const;
  void confirm(const Cells& cells, const Plan& plan);
  bool try_to_confirm(const Cells& cells);
  bool confirm_best_peak();
  std::optional<Maximum> search_from_above();

  const Part& part_;
  const Screening& screening_;
  ExactCells& exact_;
  SearchLimits limits_;
  std::size_t most_cells_;  ///< for which the limits are enough
  double interactions_ = 0;
  std::optional<double> reached_;  ///< by the fast layer's best peak, at least
  Maximum best_;
  std::int64_t candidates_ = 0;
  double bound_at_peak_ = 0;
};

}  // namespace bombard
