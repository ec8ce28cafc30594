#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "kernels/base/host_array.hpp"
#include "kernels/convolution/cpu/in_blocks.hpp"
#include "kernels/convolution/cpu/layer_storm.hpp"
#include "kernels/convolution/cpu/sweep.hpp"
#include "kernels/layer/cell_range.hpp"

namespace bombard::cpu {

/// Where a padded layer is. Cells count from its own first one, which is at position `first`.
struct PaddedLayer {
  std::int64_t chunks;
  std::int64_t first;
  CellRange own;    ///< the cells that are the layer's, or the slab's
  CellRange whole;  ///< those of the layer that it is a slab of
};

/// Cells begin .. end-1 of one block that get the share of an impact one by one. All counts from
/// the first cell of the block.
struct Patch {
  std::int64_t at;     ///< where the impact falls, in the block or not
  double uncertainty;  ///< of the energy, and what the storm lets the energy itself grow by
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
  /// Sorts them; sources() are the others. Uses up to `threads` threads; the result does not depend
  /// on their number.
  void sort(const PaddedLayer& layer, const LayerStorm& storm, int threads);
  /// No impact ends.
  void clear() { any_ = false; }

  /// Whether any impact ends in the layer, or in the whole one.
  bool any() const { return any_; }
  /// All impacts in their order; those that are no source have no energy and lie nowhere.
  std::span<const Impact> sources() const {
    return sources_.span().first(static_cast<std::size_t>(count_));
  }

  std::int64_t exit_count() const {
    return sides_[to_right].exits.size() + sides_[to_left].exits.size();
  }
  /// The exits of energies, field 0, or of uncertainties, field 1.
  Exits exits(Towards side, int field) const {
    const Side& s = sides_[side];
    return {s.ranges.data(), s.distances.data(), s.amounts[field].data()};
  }

  std::span<const Patch> patches_of(std::int64_t block) const { return patches_.items(block); }
  /// The largest |cell - position| + 1 of a patch.
  std::int64_t farthest_patched() const { return farthest_patched_; }

 private:
  struct Exit {
    std::int64_t impact, chunk, distance;
  };
  /// The exits on one side: block by block, and sorted by chunk.
  struct Side {
    InBlocks<Exit> exits;
    std::vector<SourceRange> ranges;
    HostArray<std::int64_t> distances;
    HostArray<double> amounts[2];  ///< [field]

    void make_room(std::int64_t chunks, bool with_uncertainty);
    void sort_block(std::int64_t block, const LayerStorm& storm);
  };
  /// Some of the impacts, which one thread does.
  struct Part {
    const PaddedLayer& layer;
    const LayerStorm& storm;
    std::int64_t number, begin, end;
  };
  struct Fate;

  static Fate fate(const Part& part, std::int64_t i);
  /// Returns whether any impact of the part ends, and how far from it its patches lie at most.
  std::pair<bool, std::int64_t> count(const Part& part);
  void put(const Part& part);

  bool any_ = false;
  std::int64_t count_ = 0;
  std::int64_t farthest_patched_ = 0;
  HostArray<Impact> sources_;
  Side sides_[2];  ///< [Towards]
  InBlocks<Patch> patches_;
};

}  // namespace bombard::cpu
