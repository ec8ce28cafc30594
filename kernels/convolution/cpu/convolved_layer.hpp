#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/base/host_array.hpp"
#include "kernels/convolution/cpu/layer_storm.hpp"
#include "kernels/convolution/cpu/sources.hpp"
#include "kernels/convolution/cpu/sweep.hpp"
#include "kernels/convolution/slab.hpp"
#include "kernels/convolution/tables.hpp"
#include "kernels/share/attenuation.hpp"

namespace bombard::cpu {

/// A layer in binary64 that takes storms by the fast method at a cost of O(cells + impacts) for
/// each storm: after its impacts every cell k holds the old value plus scale * the sum of energy *
/// attenuated(|position - k| + 1), and every cell except the two ends is then relaxed, (left +
/// itself + right) / 3. The sum is off by at most relative_error() * the same sum over |energy|,
/// plus less than 1e-280, to which exponentials of a short range may fall. Results depend neither
/// on the number of threads nor on the order of the impacts (uncertainties, which are bounds, may
/// differ in their last bits).
///
///   ConvolvedLayer layer({0, cells, cells}, square_root_attenuation, scale, 1e-12);
///   layer.gather({impacts});
///   layer.apply_gathered();
///   layer.value(7);
///
/// It can also be a slab of a larger layer, while other slabs hold the rest. Then each slab gathers
/// a storm and gives the states that leave to its neighbours, and applies the states that come in.
///
///   slab.gather({impacts});
///   ComingIn in = slab.borders().nothing_coming_in();
///   // neighbours: slab.leaving_right(padded(theirs).begin), theirs into `in`
///   slab.apply_gathered(in);
///
/// The sums are those of the whole layer, off by no more than the relative_error() of all slabs
/// together. The ends of a slab are not relaxed, and the fault moves inwards by a cell in each
/// storm: for S storms, hold S more cells on each side than the part is responsible for.
class ConvolvedLayer {
 public:
  /// A slab, or a whole layer, which is also a slab; all values are 0. Powers from 0.1 to 8,
  /// exponentials of any range. relative_error from 1e-12 (about what binary64 allows) to 1e-4.
  /// Uses up to `threads` threads. Throws CannotRun if memory is short, std::invalid_argument if a
  /// slab cannot begin there.
  ConvolvedLayer(const Slab& slab, const Attenuation& attenuation, double scale,
                 double relative_error, int threads = 1);

  /// Bytes of memory for `cells` cells, without uncertainties.
  static std::int64_t bytes(std::int64_t cells);

  double relative_error() const;

  /// Sets all values to 0, stops tracking uncertainties, and forgets a gathered storm.
  void clear() {
    fresh_ = true;
    uncertainty_ = HostArray<float>();
  }

  /// Sets the cells to these values, on which the next storm falls, and stops tracking
  /// uncertainties.
  template <class T>
  void begin_with(std::span<const T> values);

  /// From now on each cell of a whole layer has an uncertainty as well as a value, at first factor
  /// * |value|.
  void track_uncertainty(double factor);

  /// The first phase. A slab takes those of the impacts that lie between its borders, and those
  /// outside the whole layer if the layer ends there; others belong to its neighbours, and it makes
  /// no difference whether they are given. A storm must have uncertainties if they are tracked.
  void gather(const LayerStorm& storm);

  /// The second phase, for a gathered storm: the states that the slab's sources before a border
  /// give to the cells after it, and those after a border to the cells before it. States that leave
  /// to the right come in at the left border of the right neighbour, states that leave to the left
  /// at the right border of the left neighbour (SlabBorders::chunk_at()).
  BorderStates leaving_right(std::int64_t border) const { return leaving(to_right, border); }
  BorderStates leaving_left(std::int64_t border) const { return leaving(to_left, border); }

  /// The third phase: adds the gathered storm to all cells and relaxes them. Throws if
  /// SlabBorders::require() does.
  void apply_gathered(const ComingIn& coming_in = {});

  /// The cells between the borders of a slab, where states come in, as cells of the whole layer.
  /// Sources there are near, also those in some cells next to the slab.
  static CellRange padded(const Slab& slab);
  /// The borders of this slab, with the present exponentials.
  SlabBorders borders() const;
  /// From now on the exponentials cover impacts between these positions of the whole layer. They
  /// always cover those on the layer, and gather() takes care of others; but slabs that are given
  /// different impacts have to be told where all impacts lie before they gather a storm.
  void cover(std::int64_t lowest, std::int64_t highest);

  std::int64_t cells() const { return slab_.cells; }
  double value(std::int64_t cell) const { return fresh_ ? 0 : layer_[first_cell + cell]; }
  bool tracks_uncertainty() const { return !uncertainty_.empty(); }
  /// 0 unless tracked.
  double uncertainty(std::int64_t cell) const {
    return tracks_uncertainty() ? uncertainty_[first_cell + cell] : 0;
  }

  /// All cells in groups, in ascending order, for a search that skips most of them: in no cell of a
  /// group does the value plus its uncertainty exceed highest().
  std::int64_t groups() const { return highest_.size(); }
  CellRange group(std::int64_t group) const {
    const auto begin = [&](std::int64_t g) {
      return std::clamp<std::int64_t>(g * group_cells - first_cell, 0, cells());
    };
    return {begin(group), begin(group + 1)};
  }
  double highest(std::int64_t group) const { return highest_[group]; }
  /// Whether there may be a peak in a gap between two groups: there is no gap.
  static bool may_have_peaks(const CellRange&) { return false; }

 private:
  // The layer begins after one empty chunk and ends before another: every chunk has two neighbours.
  static constexpr std::int64_t first_cell = chunk_cells;

  void cover_distance(double distance);
  int fields() const { return tracks_uncertainty() ? 2 : 1; }

  int threads_for(std::int64_t chunks, std::int64_t sources) const;
  void cover_all(const LayerStorm& storm);
  void begin_sweep(const StormUncertainty& of_storm);
  void add_outside(const LayerStorm& storm);
  CellRange cells_of(std::int64_t block) const;
  std::int64_t blocks_in_a_row() const;
  void finish_borders();
  BorderStates leaving(Towards side, std::int64_t border) const;

  Slab slab_;
  Attenuation attenuation_;
  double scale_, wanted_error_;
  int threads_;
  std::int64_t padded_, chunks_, block_chunks_, blocks_;
  std::unique_ptr<ConvolutionTables> tables_;
  bool fresh_ = true;             ///< all values are 0, whatever layer_ holds
  HostArray<double> layer_;       ///< padded, and so are the next two
  HostArray<float> uncertainty_;  ///< empty: not tracked
  HostArray<double> highest_;     ///< [group]
  SortedSources sources_;
  HostArray<double> states_[2][2];  ///< [field][Towards]
  HostArray<double[4]> edges_[2];   ///< [field]

  // Of a storm, from gather() to apply_gathered().
  Sweep sweep_ = {};
  Field fields_[2] = {};  ///< of energies and, if they are tracked, of uncertainties
};

}  // namespace bombard::cpu
