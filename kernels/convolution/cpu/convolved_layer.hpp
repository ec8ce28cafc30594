#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>

#include "kernels/base/host_array.hpp"
#include "kernels/convolution/cpu/layer_storm.hpp"
#include "kernels/convolution/cpu/sources.hpp"
#include "kernels/convolution/cpu/sweep.hpp"
#include "kernels/convolution/tables.hpp"
#include "kernels/layer/cell_range.hpp"
#include "kernels/share/attenuation.hpp"

namespace bombard::cpu {

/// A layer in binary64 that takes storms by the fast method at a cost of O(cells + impacts) for
/// each storm: after its impacts, on the layer or outside, every cell k holds the old value plus
/// scale * the sum of energy * attenuated(|position - k| + 1), and every cell except the two ends
/// is then relaxed, (left + itself + right) / 3. The sum is off by at most relative_error() * the
/// same sum over |energy|, plus less than 1e-280, to which exponentials of a short range may fall.
/// Results depend neither on the number of threads nor on the order of the impacts (uncertainties,
/// which are bounds, may differ in their last bits).
///
///   ConvolvedLayer layer(cells, square_root_attenuation, scale, 1e-12);
///   layer.apply({impacts});
///   layer.value(7);
class ConvolvedLayer {
 public:
  /// All values are 0. Powers from 0.1 to 8, exponentials of any range. relative_error from 1e-12
  /// (about what binary64 allows) to 1e-4. Uses up to `threads` threads. Throws CannotRun if memory
  /// is short.
  ConvolvedLayer(std::int64_t cells, const Attenuation& attenuation, double scale,
                 double relative_error, int threads = 1);

  /// Bytes of memory for `cells` cells, without uncertainties.
  static std::int64_t bytes(std::int64_t cells);

  double relative_error() const;

  /// Sets all values to 0, and stops tracking uncertainties.
  void clear() {
    fresh_ = true;
    uncertainty_ = HostArray<float>();
  }

  /// Sets the cells to these values, on which the next storm falls, and stops tracking
  /// uncertainties.
  void begin_with(std::span<const double> values);

  /// From now on each cell has an uncertainty as well as a value, at first factor * |value|.
  void track_uncertainty(double factor);

  /// Adds a storm to all cells and relaxes them. It must have uncertainties if they are tracked.
  void apply(const LayerStorm& storm);

  std::int64_t cells() const { return cells_; }
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

  int fields() const { return tracks_uncertainty() ? 2 : 1; }
  int threads_for(std::int64_t chunks, std::int64_t sources) const;
  CellRange cells_of(std::int64_t block) const;
  std::int64_t blocks_in_a_row() const;

  void cover_distance(double distance);
  void cover_outside(const LayerStorm& storm);
  void begin_sweep(const StormUncertainty& of_storm);
  void add_outside(const LayerStorm& storm);
  void pass_states();
  void apply_blocks();
  void finish_borders();

  std::int64_t cells_;
  Attenuation attenuation_;
  double scale_, wanted_error_;
  int threads_;
  std::int64_t padded_, chunks_, block_chunks_, blocks_;
  std::unique_ptr<ConvolutionTables> tables_;
  bool fresh_ = true;             ///< all values are 0, whatever layer_ holds
  HostArray<double> layer_;       ///< padded, and so are the next two
  HostArray<float> uncertainty_;  ///< empty: not tracked
  HostArray<double> highest_;     ///< [group]

  // Of a storm.
  SortedSources sources_;
  HostArray<double> states_[2][2];  ///< [field][Towards]
  HostArray<double[4]> edges_[2];   ///< [field]
  Sweep sweep_ = {};
  Field fields_[2] = {};  ///< of energies and, if they are tracked, of uncertainties
};

}  // namespace bombard::cpu
