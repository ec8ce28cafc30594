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
#include "kernels/convolution/slab.hpp"
#include "kernels/convolution/uncertainty.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/layer/cell_range.hpp"
#include "kernels/share/attenuation.hpp"

namespace bombard::cuda {

/// The impacts of a storm, in device memory. Their positions are those of the whole layer.
struct StormImpacts {
  std::span<const Impact> impacts;
  std::int64_t lowest = 0, highest = -1;  ///< bounds of the positions; these: there are none
  /// Required while uncertainties are tracked, ignored otherwise.
  std::optional<StormUncertainty> uncertainty{};
  /// For a slab: impacts beyond its borders, where the layer continues, count as states that come
  /// in (ConvolvedLayer::apply_gathered()), not as impacts. Uncertainties must not be tracked.
  bool states_come_in = false;
};

/// The same as cpu::ConvolvedLayer, but entirely on the device: calls return once launched. Sums
/// are rounded in other places than on the CPU, and always in the same ones; energies of one cell
/// are added as integers, uncertainties in any order.
///
/// A storm has phases: gather(), apply_gathered() and screen(). A phase that comes too early throws
/// std::logic_error.
class ConvolvedLayer {
 public:
  /// Like cpu::ConvolvedLayer. Only the cells `own`, counted from the slab's first one, can be a
  /// maximum; others are a margin. Throws CannotRun if the device has less memory than bytes().
  ConvolvedLayer(const Slab& slab, const CellRange& own, const Attenuation& attenuation,
                 double scale, double relative_error);

  /// Bytes of device memory for `cells` cells, with uncertainties or without. The first storm takes
  /// 8 more bytes for each cell, and 8 for its uncertainty; if it has up to one impact for 512
  /// cells, it takes 512 bytes for each impact instead.
  static std::int64_t bytes(std::int64_t cells, bool with_uncertainty);

  /// A storm's sums are off by no more than relative_error() times the sum of |share|.
  double relative_error() const { return tables_.relative_error() + rounding_; }

  /// These are as in cpu::ConvolvedLayer.
  static CellRange padded(const Slab& slab);
  SlabBorders borders() const;
  void cover(std::int64_t lowest, std::int64_t highest);

  /// Sets all values to 0, stops tracking uncertainties, and forgets a gathered storm.
  void clear();
  /// The same, but sets these values, one for each cell, in host memory. Throws
  /// std::invalid_argument if there are more or fewer.
  template <class Number>
  void begin_with(std::span<const Number> values);
  /// From now on each cell has an uncertainty, at first factor * |value|. Throws CannotRun if the
  /// device has no room for these, std::logic_error while a gathered storm is still to be applied.
  void track_uncertainty(double factor);
  bool tracks_uncertainty() const { return cells_.tracks_uncertainty(); }

  /// Gathers the impacts of a storm, which must stay where they are until it is applied. Throws
  /// CannotRun if there is no room for the energies; std::logic_error while the storm gathered
  /// before is still to be applied, or if uncertainties are tracked and the storm has none.
  void gather(const StormImpacts& storm);
  /// The functions of cpu::ConvolvedLayer, for a gathered storm whose states come in, to be called
  /// before it is applied. They throw std::logic_error for other storms.
  BorderStates leaving_right(std::int64_t border) { return leaving(true, border); }
  BorderStates leaving_left(std::int64_t border) { return leaving(false, border); }
  /// Adds the gathered storm to the layer and relaxes it. found->peak becomes its largest strict
  /// local maximum above 0 among the own cells, found->count 0; `found` is in device memory. Throws
  /// std::logic_error if there is no such storm; if states are to come in, it throws like
  /// SlabBorders::require(), and the storm is still gathered.
  void apply_gathered(Screened* found, const ComingIn& coming_in = {});
  /// Gathers and applies one storm.
  void apply(const StormImpacts& storm, Screened* found);
  /// Completes the findings of the storm that was applied last: looks among the own cells for those
  /// that may be the maximum if every cell may be off by factor * |value| + absolute plus its
  /// uncertainty. They are put among the candidates, which must be in memory that the device
  /// reaches, as far as there is room, in no particular order, after those of `before` (nullptr:
  /// from the first one on). Throws std::logic_error before any storm.
  void screen(double factor, std::span<Candidate> candidates, const Screened* before,
              double absolute = 0) const;

  /// The cells' values (0 before any storm), and their uncertainties if they are tracked.
  void values(std::span<double> values) const { cells_.values(values); }
  void uncertainties(std::span<float> uncertainties) const { cells_.uncertainties(uncertainties); }

 private:
  std::int64_t first_position() const { return slab_.first - first_cell; }
  void reach(double distance);
  Beyond outside(const StormImpacts& storm) const;
  void require_nothing_gathered() const;
  BorderStates leaving(bool to_right, std::int64_t border);
  void come_in(const ComingIn& coming_in);

  /// The storm that was gathered and is still to be applied.
  struct Gathered {
    GatheredImpacts impacts;
    Beyond outside;       ///< where impacts count as impacts, not as states
    bool states_come_in;  ///< they have not come in yet
  };

  Slab slab_;
  Tiling tiling_;
  Attenuation attenuation_;
  double rounding_ = 0;  ///< of each impact's share, with the present tables
  DeviceTables tables_;
  // The phases of a storm, in order.
  Sources sources_;
  TileStates states_;
  StoredCells cells_;
  std::optional<Gathered> gathered_;
  Screened* found_ = nullptr;  ///< of the storm applied last
};

}  // namespace bombard::cuda
