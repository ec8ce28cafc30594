#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "kernels/convolution/sparse/relaxed_shares.hpp"
#include "kernels/convolution/sparse/shares_one_by_one.hpp"
#include "kernels/convolution/sparse/sparse_sources.hpp"
#include "kernels/convolution/sparse/sparse_states.hpp"
#include "kernels/convolution/sparse/sparse_tables.hpp"

namespace bombard::cpu {

/// The sum of sorted sources in any cell of an endless layer, and a bound on their sums in the
/// cells of a chunk. By states all shares of a source, whatever its reach: those in a chunk and in
/// its two neighbours are near, and added one by one. Where that costs less, all shares that count
/// are added one by one.
class SparseSums {
 public:
  /// By `one_by_one`, or, if that is nullptr, by states from these tables. `now` as SparseStates
  /// has it. All that is given outlives this, but for the chunks.
  SparseSums(SparseTables* tables, const SharesOneByOne* one_by_one, const RelaxedShares& shares,
             const std::vector<SparseSource>& sources, std::vector<SparseChunk> chunks,
             std::int64_t now, int chunk_bits);

  /// The sum in a cell. Keeps what the next cells of the chunk need, and the value.
  double at(std::int64_t cell);

  const std::vector<SparseChunk>& chunks() const { return chunks_; }
  /// The cells that are to be seen, those of one chunk together.
  std::int64_t groups() const { return static_cast<std::int64_t>(groups_.size()); }
  CellRange group(std::int64_t group) const { return groups_[group].cells; }
  /// No cell of a group gets more, and hardly more than the highest gets.
  double highest(std::int64_t group) const { return groups_[group].highest; }

 private:
  /// A chunk: its near sources, the states of the others, and cells' values.
  struct Known {
    std::int64_t begin, end;
    SparseStates::Far far;
    std::vector<double> values;  ///< not a number: not asked for yet
  };
  struct Group {
    CellRange cells;
    double highest;
  };
  Known known_of(std::int64_t chunk) const;
  double value(const Known& known, std::int64_t cell) const;
  double highest_of(std::size_t chunk, std::vector<double>& near) const;

  const SharesOneByOne* one_by_one_;
  const RelaxedShares& shares_;
  const std::vector<SparseSource>& sources_;
  std::vector<SparseChunk> chunks_;
  std::int64_t now_;
  int chunk_bits_;
  std::optional<SparseStates> states_;
  std::vector<Group> groups_;
  std::unordered_map<std::int64_t, Known> known_;
};

}  // namespace bombard::cpu
