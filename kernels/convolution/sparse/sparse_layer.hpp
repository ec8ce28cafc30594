#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "kernels/convolution/sparse/relaxed_shares.hpp"
#include "kernels/convolution/sparse/sparse_sources.hpp"
#include "kernels/convolution/sparse/sparse_states.hpp"

namespace bombard::cpu {

/// A layer in binary64 that stores no cells: storms of positive energies add to it and relax it as
/// in ConvolvedLayer, at a cost that depends on their impacts and not on the layer's size, and it
/// gives the value of any cell (docs/methods.md, Sparse). Values are off by at most
/// relative_error() times themselves.
class SparseLayer {
 public:
  /// For 1 to 2^56 cells and any attenuation that there is; relative_error from 1e-12 to 1e-4.
  SparseLayer(std::int64_t cells, const Attenuation& attenuation, double scale,
              double relative_error);

  /// Sets the layer to 0.
  void clear();

  /// Energies must be above 0, and |positions| at most 2^61. The layer must have at least two cells
  /// for each storm. The memory and time of a storm grow with the square of the number of storms so
  /// far.
  void add_storm(std::span<const Impact> deposits);

  /// The largest number of cells near the sources and the ends of the layer, after one more storm
  /// of `deposits` deposits: those to look at.
  std::int64_t neighbourhood_cells(std::int64_t deposits) const;

  std::int64_t cells() const { return cells_; }
  double relative_error() const;
  double value(std::int64_t cell) const;
  static double uncertainty(std::int64_t) { return 0; }

  /// Groups of cells, in ascending order, that contain all peaks except those that the rule's
  /// roundings make. The first and the last group are the layer's ends, a cell for each storm and
  /// one more.
  std::int64_t groups() const { return static_cast<std::int64_t>(groups_.size()); }
  CellRange group(std::int64_t group) const { return groups_[group].cells; }
  /// No cell of the group exceeds this, and the highest one hardly falls short of it.
  double highest(std::int64_t group) const { return groups_[group].highest; }
  /// Whether the rule's layer may have a peak among these cells, all those between two groups:
  /// there are sources on both sides of them. The layer of the exact values is convex there; where
  /// all shares come from one side, the rule's falls towards the other one.
  bool may_have_peaks(const CellRange& cells) const {
    return !sources_.empty() && sources_.front().position < cells.begin &&
           sources_.back().position >= cells.end;
  }

 private:
  struct Group {
    CellRange cells;
    double highest;
  };

  SparseStates& states_of_sources();
  void forget_sums();
  void find_sums();
  void find_groups();
  double sum_of_shares(std::span<const SparseSource> sources, std::int64_t cell) const;
  void make_room_for(std::int64_t storms);
  std::int64_t cell_at(int end, std::int64_t k) const { return end == 0 ? k : cells_ - 1 - k; }
  /// Here only cells near sources are looked at; outside, all cells are.
  CellRange between_ends() const { return {storms_ + 1, cells_ - storms_ - 1}; }
  void add_to_ends(const std::vector<SparseSource>& fresh);

  std::int64_t cells_;
  Attenuation attenuation_;
  double scale_, wanted_error_;
  int chunk_bits_ = 0;                          ///< grows with the storms
  std::optional<RelaxedShares> shares_;         ///< for chunks of that size, like the states
  mutable std::optional<SparseStates> states_;  ///< they remember what they found for a chunk
  double sum_error_;  ///< the largest of all states so far, and of arguments
  std::int64_t storms_ = 0;
  std::vector<SparseSource> sources_;  ///< of all storms
  std::int64_t deposits_ = 0;          ///< of all storms
  std::vector<SparseChunk> chunks_;
  bool by_states_ = false;  ///< otherwise few shares, which are added one by one
  std::vector<Group> groups_;
  mutable std::unordered_map<std::int64_t, double> values_;  ///< of the cells that were asked for
  /// The cells at the left and at the right end of the layer: [cell], counted from the end.
  std::vector<double> ends_[2];
};

}  // namespace bombard::cpu
