#pragma once

#include <cstdint>
#include <vector>

#include "kernels/base/host_array.hpp"
#include "kernels/convolution/cpu/cell_deposit.hpp"
#include "kernels/convolution/cpu/in_blocks.hpp"
#include "kernels/convolution/cpu/layer_storm.hpp"
#include "kernels/convolution/cpu/sweep.hpp"

namespace bombard::cpu {

/// The sources of a storm: one a cell that any of its impacts fall on, chunk by chunk, sorted by
/// cell. Energies are added as integers, so the order of the impacts does not matter.
class SortedSources {
 public:
  /// For a padded layer of `chunks` chunks.
  explicit SortedSources(std::int64_t chunks);

  /// Sorts the impacts that fall on the padded layer, whose first cell is at position `first`, and
  /// adds up their uncertainties, if they have some. Uses up to `threads` threads.
  void sort(const LayerStorm& storm, std::int64_t first, int threads);

  /// How many of the impacts fell on the padded layer, and how many sources they became.
  std::int64_t impacts() const { return impacts_; }
  std::int64_t count() const { return count_; }
  /// [chunk] which of them are its own.
  const SourceRange* ranges() const { return ranges_.data(); }
  /// For each source, the place of its cell in its chunk, and the amounts that fall there: energies
  /// are field 0, uncertainties are field 1.
  const std::uint8_t* offsets() const { return offsets_.data(); }
  const double* amounts(int field) const { return amounts_[field].data(); }

 private:
  struct Inside;
  struct Sums;
  void put_in_blocks(const Inside& inside, int threads);
  std::int64_t sum_block(std::int64_t block, const Sums& sums, std::int64_t begin);
  void make_room(std::int64_t sources, bool with_uncertainty);
  std::int64_t write_block(std::int64_t block, const Sums& sums, std::int64_t begin);

  std::int64_t chunks_, blocks_;
  std::int64_t impacts_ = 0, count_ = 0;
  std::vector<SourceRange> ranges_;
  std::vector<std::uint8_t> filled_;  ///< the blocks whose chunks have any
  HostArray<std::uint8_t> offsets_;
  HostArray<double> amounts_[2];  ///< [field]
  InBlocks<CellDeposit> placed_;  ///< the impacts, cells counted from the first of their block
  HostArray<float> placed_uncertainties_;
};

}  // namespace bombard::cpu
