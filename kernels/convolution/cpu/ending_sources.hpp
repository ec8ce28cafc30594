#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bombard/storm.hpp"
#include "kernels/base/host_array.hpp"
#include "kernels/convolution/cpu/in_blocks.hpp"
#include "kernels/convolution/cpu/sweep.hpp"
#include "kernels/convolution/uncertainty.hpp"
#include "kernels/layer/cell_range.hpp"

namespace bombard::cpu {

/// Where a padded layer is. Cells count from its own first one, positions of deposits from cell
/// `first`.
struct PaddedLayer {
  std::int64_t chunks;
  std::int64_t first;
  CellRange own;    ///< the cells that are the layer's, or the slab's
  CellRange whole;  ///< those of the layer that it is a slab of
};

/// Cells begin .. end-1 of one block that get the share of a deposit one by one. All counts from
/// the first cell of the block.
struct Patch {
  std::int64_t at;     ///< where the deposit falls, in the block or not
  double uncertainty;  ///< of the energy, and what the storm lets the energy itself grow by
  std::int32_t energy;
  std::uint16_t begin, end;
};
static_assert(block_cells <= 0xffff);

/// The deposits of a storm that do not count everywhere, but where |cell - position| + 1 <= reach
/// (docs/methods.md, Sources that end):
///
///          counts: ... reach - 1 cells | position | reach - 1 cells ...
///     chunks:      |  p  |             |  source  |             |  p  |  p: a patch, the cells of
///     states:      B leaves behind it                A leaves before it     the chunk that count
///
/// A source leaves the states when they pass into the chunk that it ends in. One with a short reach
/// never comes to them: all its cells are patches.
class EndingSources {
 public:
  /// Sorts them. What is left to do without them is sources(). Uses up to so many threads; the
  /// result does not depend on it.
  void sort(const PaddedLayer& layer, std::span<const Impact> deposits,
            std::span<const std::int64_t> reaches, const StormUncertainty* uncertainty,
            int threads);
  /// No deposit ends.
  void clear() { any_ = false; }

  /// Whether any deposit ends in the layer, or in the whole one.
  bool any() const { return any_; }
  /// All deposits in their order; those that are no source have no energy and lie nowhere.
  std::span<const Impact> sources() const {
    return sources_.span().first(static_cast<std::size_t>(count_));
  }

  std::int64_t leavings() const { return right_.leavings.size() + left_.leavings.size(); }
  /// The largest distance at which one leaves.
  std::int64_t farthest_leaving() const { return farthest_leaving_; }
  Leavings right() const { return right_.sorted(); }
  Leavings left() const { return left_.sorted(); }
  const double* right_energies() const { return right_.energies.data(); }
  const double* left_energies() const { return left_.energies.data(); }
  const double* right_uncertainties() const { return right_.uncertainties.data(); }
  const double* left_uncertainties() const { return left_.uncertainties.data(); }

  std::span<const Patch> patches_of(std::int64_t block) const { return patches_.of_block(block); }
  /// The largest |cell - position| + 1 of a patch.
  std::int64_t farthest_patched() const { return farthest_patched_; }

 private:
  struct Leaving {
    std::int64_t deposit, chunk, distance;
  };
  /// What leaves on one side: block by block, and sorted by chunk.
  struct Side {
    InBlocks<Leaving> leavings;
    std::vector<SourceRange> of_chunks;
    HostArray<std::int64_t> distances;
    HostArray<double> energies, uncertainties;

    Leavings sorted() const { return {of_chunks.data(), distances.data()}; }
    void make_room(std::int64_t chunks, bool with_uncertainty);
    void sort_block(std::int64_t block, std::span<const Impact> deposits,
                    const DepositUncertainty* uncertainty);
  };
  /// Some of the deposits, which one thread does.
  struct Part {
    const PaddedLayer& layer;
    std::span<const Impact> deposits;
    std::span<const std::int64_t> reaches;
    const StormUncertainty* uncertainty;  ///< nullptr: not tracked
    std::int64_t number, begin, end;
  };
  struct Counted {
    bool any = false;
    std::int64_t farthest_leaving = 0, farthest_patched = 0;
  };
  struct Fate;

  static Fate fate(const PaddedLayer& layer, const Impact& deposit, std::int64_t reach);
  Counted count(const Part& part);
  void put(const Part& part);

  bool any_ = false;
  std::int64_t count_ = 0;
  std::int64_t farthest_leaving_ = 0, farthest_patched_ = 0;
  HostArray<Impact> sources_;
  Side right_, left_;
  InBlocks<Patch> patches_;
};

}  // namespace bombard::cpu
