#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/convolution/sparse/relaxed_shares.hpp"
#include "kernels/convolution/sparse/sparse_sources.hpp"
#include "kernels/layer/cell_range.hpp"

namespace bombard::cpu {

/// The sum of sorted sources in any cell of an endless layer, share by share: only those that
/// count. A cell's sum costs a share, and its relaxations, for each source that reaches the cell.
class SharesOneByOne {
 public:
  /// `now` is as in SparseStates; a source of storm now + 1 has not been relaxed yet. The arguments
  /// must outlive this object.
  SharesOneByOne(const RelaxedShares& shares, const std::vector<SparseSource>& sources,
                 std::int64_t now);

  double at(std::int64_t cell) const;
  /// The most that any of these cells gets.
  double highest(const CellRange& cells) const;
  /// The sources that may have a share in these cells.
  std::span<const SparseSource> near(const CellRange& cells) const;

  /// Whether shares of sources before these cells and of sources after them meet among them, if no
  /// source lies among them.
  bool meet_in(const CellRange& cells) const;
  /// Whether the sum may have a peak among these cells: a source near enough makes one there, or
  /// shares from both sides meet. Otherwise it rises towards one side, or falls to 0 first.
  bool may_have_peaks(const CellRange& cells) const;

 private:
  std::int64_t relaxations(const SparseSource& source) const { return now_ - source.storm + 1; }
  double share(const SparseSource& source, std::int64_t cell) const;

  const RelaxedShares& shares_;
  std::int64_t now_;
  std::span<const SparseSource> sources_;
  std::int64_t longest_ = 0;                         ///< the longest reach
  std::vector<std::int64_t> last_of_those_before_;   ///< cell that sources up to this one reach
  std::vector<std::int64_t> first_of_those_behind_;  ///< cell that sources from this one on reach
};

}  // namespace bombard::cpu
