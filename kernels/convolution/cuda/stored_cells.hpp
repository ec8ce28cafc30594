#pragma once

#include <cstdint>
#include <span>

#include "kernels/convolution/candidates.hpp"
#include "kernels/convolution/cuda/tiling.hpp"
#include "kernels/convolution/uncertainty.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/layer/cell_range.hpp"

namespace bombard::cuda {

struct LayerArrays;

/// The cells of a layer in device memory, and what is known of each tile (docs/methods.md, The fast
/// layer). Tiles replace their cells in place; what a tile needs from its neighbours is in copies
/// of their edges, which the storm before made.
class StoredCells {
 public:
  /// Only the cells `own` can be a maximum.
  StoredCells(std::int64_t cells, const Tiling& tiling, const CellRange& own);
  /// Bytes of device memory.
  static std::int64_t bytes(std::int64_t cells, const Tiling& tiling, bool with_uncertainty);

  /// Sets all values to 0, and stops tracking uncertainties.
  void clear();
  /// The same, but sets these values, one for each cell, in host memory. Throws
  /// std::invalid_argument if there are more or fewer.
  void begin_with(std::span<const double> values);
  /// From now on each cell has an uncertainty, at first factor * |value|. Throws CannotRun if there
  /// is no room.
  void track_uncertainty(double factor);
  bool tracks_uncertainty() const { return tracked_; }

  /// The cells for a kernel that applies a storm to every tile; the highest peak goes to `found`.
  /// The next call is for the next storm.
  LayerArrays for_storm(const StormUncertainty& of_storm, Screened* found);
  /// See ConvolvedLayer::screen().
  void screen(double factor, double absolute, std::span<Candidate> candidates,
              Screened* found) const;

  void values(std::span<double> values) const;
  void uncertainties(std::span<float> uncertainties) const;

 private:
  std::int64_t cells_;
  Tiling tiling_;
  CellRange own_;      ///< without the layer's ends, which are never a maximum
  bool fresh_ = true;  ///< all values are still 0, and not in memory
  bool tracked_ = false;
  int turn_ = 0;  ///< which copies of edges the next storm reads
  DeviceArray<double> layer_;
  DeviceArray<float> uncertainty_;
  DeviceArray<double> layer_edges_[2];
  DeviceArray<float> uncertainty_edges_[2];
  DeviceArray<LayerPeak> tile_peaks_;
  DeviceArray<float> tile_tops_;
  DeviceArray<unsigned> arrived_{1};
};

}  // namespace bombard::cuda
