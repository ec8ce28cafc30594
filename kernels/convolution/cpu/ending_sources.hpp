#pragma once

#include <cstdint>
#include <span>

#include "kernels/base/host_array.hpp"
#include "kernels/convolution/cpu/in_blocks.hpp"
#include "kernels/convolution/cpu/layer_storm.hpp"
#include "kernels/convolution/cpu/sweep.hpp"
#include "kernels/convolution/slab.hpp"
#include "kernels/layer/cell_range.hpp"

namespace bombard::cpu {

/// A part of an impact that ends: cells begin .. end-1 of a block, which get its share one by one.
/// All cells are counted from the first cell of the block.
struct Patch {
  std::int64_t at;    ///< where the impact falls, inside the block or not
  double amounts[2];  ///< [field]; the uncertainty includes the storm's growth of the energy
  std::uint16_t begin, end;
};
static_assert(most_block_chunks * chunk_cells <= 0xffff);

/// The impacts of a storm that count only where |cell - position| + 1 <= reach, not everywhere
/// (docs/methods.md, Sources that end):
///
///          counts: ... reach - 1 cells | position | reach - 1 cells ...
///     chunks:      |  p  |             |  source  |             |  p  |  p: a patch, the cells of
///     states:      exits B behind it               exits A before it      the chunk that count
///
/// A source exits the states when they pass into the chunk in which it ends. One with a short reach
/// never enters them: all its cells are patches.
class EndingSources {
 public:
  /// For a padded layer of `chunks` chunks, in blocks of `block_chunks`: the slab begins with the
  /// second chunk.
  EndingSources(const Slab& slab, std::int64_t chunks, std::int64_t block_chunks);

  /// Sorts these impacts; sources() are the others. Uses up to `threads` threads; the result does
  /// not depend on their number.
  void sort(const LayerStorm& storm, int threads);

  /// Whether any impact ends in the layer or, if it is a slab, in the whole layer.
  bool any() const { return farthest_ >= 0; }
  /// All impacts in order; those that are not sources have zero energy and lie outside all layers.
  std::span<const Impact> sources() const {
    return sources_.span().first(static_cast<std::size_t>(count_));
  }

  std::int64_t exit_count() const { return exits_.size(); }
  /// These two are for Field.
  const DistantAmounts* exits() const { return exits_.all(); }
  const std::int64_t* exits_begin(Towards side) const { return exits_.begin() + side * chunks_; }

  std::span<const Patch> patches_of(std::int64_t block) const { return patches_.items(block); }
  /// In a patch, |cell - position| + 1 is at most this.
  std::int64_t farthest_patched() const { return farthest_; }

 private:
  bool ends(const LayerStorm& storm, std::int64_t i) const;
  template <class Put>
  bool put_exits(const LayerStorm& storm, std::int64_t i, const Put& put) const;
  template <class Put>
  void put_patches(const LayerStorm& storm, std::int64_t i, const Put& put) const;

  std::int64_t chunks_, block_cells_;
  CellRange own_;    ///< the cells of the padded layer that belong to the slab
  CellRange whole_;  ///< the cells of the whole layer
  std::int64_t count_ = 0;
  std::int64_t farthest_ = -1;  ///< the longest reach of those that end; -1: none ends
  HostArray<Impact> sources_;
  InBlocks<DistantAmounts> exits_;  ///< [Towards][chunk]
  InBlocks<Patch> patches_;         ///< [block]
};

}  // namespace bombard::cpu
