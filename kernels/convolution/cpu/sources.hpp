#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bombard/storm.hpp"
#include "kernels/base/host_array.hpp"
#include "kernels/convolution/cpu/sweep.hpp"
#include "kernels/convolution/uncertainty.hpp"
#include "kernels/layer/cell_deposit.hpp"

namespace bombard::cpu {

/// How far off the energy of deposit i may be, as sources have it: a deposit that ends has to leave
/// with the bits that it came with.
inline float source_uncertainty(const DepositUncertainty& uncertainty, std::int64_t i,
                                std::int32_t energy) {
  return static_cast<float>(uncertainty.of(i, energy));
}

/// The sources of a storm: one a cell that any of its deposits fall on, chunk by chunk, sorted by
/// cell. Energies are added as integers, so the order of the deposits does not matter.
class SortedSources {
 public:
  /// For a padded layer of so many chunks.
  explicit SortedSources(std::int64_t chunks);

  /// Sorts the deposits that fall on the padded layer, whose first cell is at position `first`, and
  /// adds up their uncertainties, unless that is nullptr. Uses up to so many threads.
  void sort(std::span<const Impact> deposits, std::int64_t first,
            const DepositUncertainty* uncertainty, int threads);

  /// How many of the deposits fell on the padded layer, and how many sources they became.
  std::int64_t deposits() const { return deposits_; }
  std::int64_t count() const { return count_; }
  /// For each chunk which of them are its own.
  const SourceRange* of_chunks() const { return of_chunks_.data(); }
  /// For each source the place of its cell in its chunk, and what falls there.
  const std::uint8_t* offsets() const { return offsets_.data(); }
  const double* energies() const { return energies_.data(); }
  const double* uncertainties() const { return uncertainties_.data(); }

 private:
  struct Inside;
  struct Sums;
  struct Buckets;
  void sum_in_parts(const Inside& inside, int threads);
  std::int64_t add_part(const Inside& inside, std::int64_t part);
  std::int64_t join_parts(const Inside& inside, std::int64_t block);
  void sum_in_blocks(const Inside& inside, int threads);
  Buckets count_in_blocks(const Inside& inside, int threads) const;
  void place_in_blocks(const Inside& inside, Buckets& buckets, int threads);
  std::int64_t sum_block(const Buckets& buckets, std::int64_t block, const Sums& sums);
  void make_room(std::int64_t sources, bool with_uncertainty);
  std::int64_t write_block(std::int64_t block, const Sums& sums, std::int64_t begin);

  std::int64_t chunks_, blocks_;
  std::int64_t deposits_ = 0, count_ = 0;
  std::vector<SourceRange> of_chunks_;
  std::vector<std::uint8_t> filled_;  ///< the blocks whose chunks have any
  HostArray<std::uint8_t> offsets_;
  HostArray<double> energies_, uncertainties_;
  HostArray<CellDeposit> placed_;  ///< the deposits, block by block, and the cells there
  HostArray<float> placed_uncertainties_;
  HostArray<std::int64_t> energy_sums_;  ///< [part of the deposits][cell]
  HostArray<double> uncertainty_sums_;
};

}  // namespace bombard::cpu
