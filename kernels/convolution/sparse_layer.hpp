#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/convolution/sparse_sums.hpp"

namespace bombard::cpu {

/// A layer in binary64 of which no cell is stored: storms of positive energies add to it and relax
/// it as ConvolvedLayer's do, at a cost that depends on their impacts and not on the layer's size,
/// and any cell's value can be asked for (docs/methods.md, Sparse). Every share has to count.
/// Values are off by at most relative_error() times themselves. They do not depend on the number of
/// threads.
class SparseLayer {
 public:
  /// Cells from 1 to 2^56. Powers from 0.1 to 8, exponentials of any range; relative_error from
  /// 1e-12 to 1e-4.
  SparseLayer(std::int64_t cells, const Attenuation& attenuation, double scale,
              double relative_error, int threads = 1);

  /// The layer is 0 again.
  void clear();

  /// Energies above 0, |positions| <= 2^61. Throws std::logic_error where the ends that the storms
  /// have changed, as many cells on either side, meet. Memory and time of a storm grow with the
  /// square of the storms so far.
  void add_storm(std::span<const Deposit> deposits, const Discount& discount = {});

  /// So many cells are near the sources and the ends after one more storm of so many deposits, at
  /// most: what has to be looked at.
  std::int64_t neighbourhood_cells(std::int64_t deposits) const;

  std::int64_t cells() const { return cells_; }
  double relative_error() const;
  double value(std::int64_t cell);

  /// Cells among which all peaks are, but for those that the rule's roundings make: groups of them,
  /// ascending, and the ends, end_cells() and one cell more on either side. In all cells between
  /// two groups, and between them and the ends, the layer is convex.
  std::int64_t groups() const { return static_cast<std::int64_t>(groups_.size()); }
  CellRange group(std::int64_t group) const;
  /// No cell of the group exceeds it, and hardly falls short of it.
  double highest(std::int64_t group) const;
  /// Whether all sources lie before these cells, or all behind them.
  bool sources_on_one_side(const CellRange& cells) const;
  /// So many cells at either end are not what they would be in an endless layer.
  std::int64_t end_cells() const { return storms_; }

 private:
  SparseTables* tables_for(const std::vector<SparseSource>& sources);
  std::unique_ptr<SparseSums> sums_of(const std::vector<SparseSource>& sources,
                                      SparseTables* tables, std::int64_t now,
                                      const CellRange& seen);
  void make_room_for(std::int64_t storms);
  std::vector<double> end_before(bool left);
  void add_and_relax(bool left, SparseSums& storm, std::vector<double>& end) const;

  std::int64_t cells_;
  Attenuation attenuation_;
  double scale_, wanted_error_;
  int threads_;
  int chunk_bits_ = 0;                   ///< grows with the storms
  std::optional<RelaxedShares> shares_;  ///< of chunks of that size, and so are the tables
  std::optional<SparseTables> tables_;
  double sum_error_ = 0;  ///< the largest of all tables so far
  std::int64_t storms_ = 0;
  std::vector<SparseSource> sources_;  ///< of all storms
  std::vector<std::int64_t> sources_of_storms_;
  std::int64_t deposits_ = 0;  ///< of all storms
  std::unique_ptr<SparseSums> sums_;
  std::vector<std::size_t> groups_;           ///< the chunks that have cells to be seen
  std::vector<double> left_end_, right_end_;  ///< [cell], counted from the end
};

}  // namespace bombard::cpu
