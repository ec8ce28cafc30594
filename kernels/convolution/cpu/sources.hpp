#pragma once

#include <cstdint>
#include <vector>

#include "kernels/base/host_array.hpp"
#include "kernels/convolution/cpu/layer_storm.hpp"
#include "kernels/convolution/cpu/sweep.hpp"

namespace bombard::cpu {

/// The sources of a storm: one for each cell on which any of its impacts fall, chunk by chunk,
/// sorted by cell. Energies are added as integers, so the order of the impacts does not matter.
class SortedSources {
 public:
  /// For a padded layer of `chunks` chunks, in blocks of `block_chunks`.
  SortedSources(std::int64_t chunks, std::int64_t block_chunks);

  /// Sorts the impacts that fall on the padded layer, whose first cell is at position `first`, and
  /// adds up their uncertainties, if they have any. Uses up to `threads` threads.
  void sort(const LayerStorm& storm, std::int64_t first, int threads);

  /// How many of the impacts fell on the padded layer.
  std::int64_t impacts() const { return placed_begin_[blocks_]; }
  /// [chunk] which of the sources are its own.
  const CellRange* ranges() const { return ranges_.data(); }
  /// For each source, the place of its cell in its chunk, and the amounts that fall there: energies
  /// are field 0, uncertainties are field 1.
  const std::uint8_t* offsets() const { return offsets_.data(); }
  const double* amounts(int field) const { return amounts_[field].data(); }

 private:
  /// An impact on a cell of a block, in a form that takes less memory.
  struct CellDeposit {
    std::uint32_t cell;
    std::int32_t energy;  ///< in thousands
    float uncertainty;
  };

  void place(const LayerStorm& storm, std::int64_t first, int threads);
  void sum_block(std::int64_t block, std::int64_t next, std::int64_t* energies,
                 double* uncertainties);

  std::int64_t chunks_, block_chunks_, blocks_;
  HostArray<CellRange> ranges_;
  HostArray<std::uint8_t> offsets_;
  HostArray<double> amounts_[2];            ///< [field]
  HostArray<CellDeposit> placed_;           ///< block after block, in the storm's order
  std::vector<std::int64_t> placed_begin_;  ///< [block], followed by the end
};

}  // namespace bombard::cpu
