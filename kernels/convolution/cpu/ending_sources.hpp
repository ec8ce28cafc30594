#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/base/host_array.hpp"
#include "kernels/convolution/cpu/in_blocks.hpp"
#include "kernels/convolution/cpu/layer_storm.hpp"
#include "kernels/convolution/cpu/sweep.hpp"
#include "kernels/convolution/slab.hpp"
#include "kernels/layer/cell_range.hpp"

namespace bombard::cpu {

/// A part of an impact that ends, in one block: a patch, cells begin .. end-1 that get its share
/// one by one, or its exit in the chunk of these cells. All counts from the first cell of the
/// block.
struct EndingPiece {
  std::int64_t at;     ///< where the impact falls, in the block or not
  double uncertainty;  ///< of the energy; of a patch, also what the storm lets the energy grow by
  std::int32_t energy;
  std::uint16_t begin, end;
};
static_assert(block_cells <= 0xffff);

/// The impacts of a storm that do not count everywhere, but where |cell - position| + 1 <= reach
/// (docs/methods.md, Sources that end):
///
///          counts: ... reach - 1 cells | position | reach - 1 cells ...
///     chunks:      |  p  |             |  source  |             |  p  |  p: a patch, the cells of
///     states:      exits B behind it               exits A before it      the chunk that count
///
/// A source exits the states when they pass into the chunk that it ends in. One with a short reach
/// never comes to them: all its cells are patches.
class EndingSources {
 public:
  /// For a padded layer of `chunks` chunks: the slab begins with the second one.
  EndingSources(const Slab& slab, std::int64_t chunks);

  /// Sorts them; sources() are the others. Uses up to `threads` threads; the result does not depend
  /// on their number.
  void sort(const LayerStorm& storm, int threads);
  /// No impact ends.
  void clear() { farthest_ = -1; }

  /// Whether any impact ends in the layer, or in the whole one.
  bool any() const { return farthest_ >= 0; }
  /// All impacts in their order; those that are no source have no energy and lie nowhere.
  std::span<const Impact> sources() const { return sources_.span().first(count_); }

  std::int64_t exit_count() const { return pieces_.items_begin(bucket(patch, 0)); }
  /// Field has these three; energies are field 0, uncertainties field 1.
  const IndexRange* exits(Towards side) const { return ranges_[side].data(); }
  const std::int64_t* exit_distances() const { return distances_.data(); }
  const double* exit_amounts(int field) const { return amounts_[field].data(); }

  std::span<const EndingPiece> patches_of(std::int64_t block) const {
    return pieces_.items(bucket(patch, block));
  }
  /// |cell - position| + 1 of a patch is at most this.
  std::int64_t farthest_patched() const { return farthest_; }

 private:
  /// The kinds of pieces: exits [Towards], and patches.
  static constexpr int patch = 2, kinds = 3;
  std::int64_t bucket(int kind, std::int64_t block) const { return kind * blocks_ + block; }

  bool ends(std::int64_t cell, std::int64_t reach) const;
  template <class Put>
  bool cut(const LayerStorm& storm, std::int64_t i, const Put& put) const;
  void sort_exits(Towards side, std::int64_t block, bool with_uncertainty);

  std::int64_t chunks_, blocks_;
  CellRange own_;    ///< the cells of the padded layer that are the slab's
  CellRange whole_;  ///< those of the layer that it is a slab of
  std::size_t count_ = 0;
  std::int64_t farthest_ = -1;  ///< reach of those that end; -1: none ends
  HostArray<Impact> sources_;
  InBlocks<EndingPiece> pieces_;  ///< [kind][block]
  std::vector<IndexRange> ranges_[2];
  HostArray<std::int64_t> distances_;
  HostArray<double> amounts_[2];  ///< [field]
};

}  // namespace bombard::cpu
