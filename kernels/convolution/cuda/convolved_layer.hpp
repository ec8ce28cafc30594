#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "bombard/storm.hpp"
#include "kernels/convolution/candidates.hpp"
#include "kernels/convolution/cuda/sources.hpp"
#include "kernels/convolution/cuda/states.hpp"
#include "kernels/convolution/cuda/stored_cells.hpp"
#include "kernels/convolution/cuda/tables.hpp"
#include "kernels/convolution/cuda/tiling.hpp"
#include "kernels/convolution/uncertainty.hpp"
#include "kernels/layer/cell_range.hpp"
#include "kernels/share/attenuation.hpp"

namespace bombard::cuda {

/// The impacts of a storm, in device memory.
struct StormImpacts {
  std::span<const Impact> impacts;
  std::int64_t lowest = 0, highest = -1;  ///< bounds of the positions; these: there are none
  /// Required while uncertainties are tracked, ignored otherwise.
  std::optional<StormUncertainty> uncertainty{};
  std::int64_t origin = 0;  ///< the position of the layer's first cell
};

/// The same as cpu::ConvolvedLayer, but entirely on the device: calls return once launched. Sums
/// are rounded in other places than on the CPU, and always in the same ones; energies of one cell
/// are added as integers, uncertainties in any order.
///
///   layer.apply({impacts, lowest, highest}, found);
///   layer.screen(factor, absolute, candidates);
class ConvolvedLayer {
 public:
  /// Like cpu::ConvolvedLayer. Only the cells `own` can be a maximum; others are a margin. Throws
  /// CannotRun if the device has less memory than bytes().
  ConvolvedLayer(std::int64_t cells, const CellRange& own, const Attenuation& attenuation,
                 double scale, double relative_error);

  /// Bytes of device memory for `cells` cells, with uncertainties or without. The first storm takes
  /// 8 more bytes for each cell, and 8 for its uncertainty; if it has up to one impact for 512
  /// cells, it takes 512 bytes for each impact instead.
  static std::int64_t bytes(std::int64_t cells, bool with_uncertainty);

  /// A storm's sums are off by no more than relative_error() times the sum of |share|, wherever its
  /// impacts lie.
  double relative_error() const;

  /// Sets all values to 0, and stops tracking uncertainties.
  void clear();
  /// The same, but sets these values, one for each cell, in host memory. Throws
  /// std::invalid_argument if there are more or fewer.
  void begin_with(std::span<const double> values);
  /// From now on each cell has an uncertainty, at first factor * |value|. Throws CannotRun if the
  /// device has no room for these.
  void track_uncertainty(double factor);
  bool tracks_uncertainty() const { return cells_.tracks_uncertainty(); }

  /// Adds a storm to the layer and relaxes it. found->peak becomes its largest strict local maximum
  /// above 0 among the own cells; `found` is in device memory. Throws CannotRun if there is no room
  /// for the energies, std::logic_error if uncertainties are tracked and the storm has none.
  void apply(const StormImpacts& storm, Screened* found);
  /// Completes the findings of the storm that was applied last: looks among the own cells for those
  /// that may be the maximum if every cell may be off by factor * |value| + absolute plus its
  /// uncertainty. They are put among the candidates, which must be in memory that the device
  /// reaches, in no particular order; if there is not room for all, found->count exceeds the room,
  /// and not all are counted. Throws std::logic_error before any storm.
  void screen(double factor, double absolute, std::span<Candidate> candidates) const;

  /// The cells' values (0 before any storm), and their uncertainties if they are tracked.
  void values(std::span<double> values) const { cells_.values(values); }
  void uncertainties(std::span<float> uncertainties) const { cells_.uncertainties(uncertainties); }

 private:
  int fields() const { return tracks_uncertainty() ? 2 : 1; }
  void gather_outside(const StormImpacts& storm, const GatheredImpacts& impacts);

  Tiling tiling_;
  Attenuation attenuation_;
  DeviceTables tables_;
  // The phases of a storm, in order.
  Sources sources_;
  TileStates states_;
  StoredCells cells_;
  Screened* found_ = nullptr;  ///< of the storm applied last
};

}  // namespace bombard::cuda
