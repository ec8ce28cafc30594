#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bombard/storm.hpp"
#include "kernels/convolution/candidates.hpp"
#include "kernels/convolution/cuda/border_states.hpp"
#include "kernels/convolution/cuda/outside.hpp"
#include "kernels/convolution/cuda/sources.hpp"
#include "kernels/convolution/cuda/states.hpp"
#include "kernels/convolution/cuda/stored_cells.hpp"
#include "kernels/convolution/cuda/tables.hpp"
#include "kernels/convolution/slab.hpp"
#include "kernels/convolution/uncertainty.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/layer/attenuation.hpp"
#include "kernels/layer/cell_range.hpp"

namespace bombard::cuda {

/// The impacts of a storm, in device memory. Their positions are those of the whole layer.
struct StormImpacts {
  std::span<const Impact> impacts;
  std::int64_t lowest = 0, highest = -1;  ///< positions lie between; like this: there are none
  /// Asked for while uncertainties are tracked, of no account otherwise.
  std::optional<StormUncertainty> uncertainty{};
  /// For a slab: impacts beyond its borders, where the layer goes on, count as states that come in,
  /// GatheredStorms::come_in(), and not as impacts. Without uncertainties.
  bool states_come_in = false;
};

class GatheredStorms;
class AppliedStorm;

/// The same on the device, all of it there: calls return once launched. Sums are rounded in other
/// places than on the processor, and always in the same ones; energies of one cell are added as
/// integers, uncertainties in any order.
///
/// A storm goes in phases. Each phase returns the object that the next one is called on, so that
/// none can come before its time: gather(), GatheredStorms::apply() and AppliedStorm::screen(). A
/// phase that comes too late, on storms that others have taken the place of, throws
/// std::logic_error.
class ConvolvedLayer {
 public:
  /// Loads the kernels that storms launch: the first layer takes a millisecond less.
  static void load();

  /// As cpu::ConvolvedLayer. Only the cells `own` may be a maximum, others are a margin. Throws
  /// CannotRun when the device has less memory than bytes().
  ConvolvedLayer(std::int64_t cells, const CellRange& own, const Attenuation& attenuation,
                 double scale, double relative_error);
  /// As cpu::ConvolvedLayer's slabs; `own` counts from its first cell.
  ConvolvedLayer(const Slab& slab, const CellRange& own, const Attenuation& attenuation,
                 double scale, double relative_error);

  /// Bytes of device memory for `cells` cells, with uncertainties or without. The first storm takes
  /// 8 more bytes for each cell, and 8 for its uncertainties; on a small layer each of several
  /// storms that are gathered at once takes them. Where that is more than there is, and impacts are
  /// fewer than half of the chunks of 64 cells, it takes 512 bytes an impact.
  static std::int64_t bytes(std::int64_t cells, bool with_uncertainty);

  /// A storm's sums are off by no more than relative_error() times the sum of |share|.
  double relative_error() const { return tables_.relative_error() + rounding_; }

  /// As cpu::ConvolvedLayer's.
  static std::int64_t left_border(const Slab& slab);
  static std::int64_t right_border(const Slab& slab);
  void cover(std::int64_t lowest, std::int64_t highest);
  void pass_on(const BorderStates& from, BorderStates& to) const;

  /// All values are 0 again, uncertainties no longer tracked, and gathered storms forgotten.
  void clear();
  /// The same, but with these values, one for each cell, in host memory. Throws
  /// std::invalid_argument when there are more or fewer.
  void begin_with(std::span<const float> values);
  void begin_with(std::span<const double> values);
  /// From now on each cell has an uncertainty, at first factor * |value|. Throws CannotRun when the
  /// device has no room for them, std::logic_error while gathered storms are still to be applied.
  void track_uncertainty(double factor);
  bool tracks_uncertainty() const { return cells_.tracks_uncertainty(); }

  /// Gathers the impacts of the first of these storms: at once all that have room, at least one.
  /// Storms on a small layer whose impacts follow one another in memory take the time of one.
  /// Impacts stay where they are until all are applied. Throws CannotRun without room for the
  /// energies; std::logic_error while storms gathered before are still to be applied, and when
  /// uncertainties are tracked and a storm has none; std::invalid_argument without a storm.
  [[nodiscard]] GatheredStorms gather(std::span<const StormImpacts> storms);
  /// Gathers and applies one storm, see GatheredStorms::apply().
  AppliedStorm apply(const StormImpacts& storm, Screened* found);
  /// Applies a storm whose shares end: an impact counts at distances up to its reach. Adds the
  /// shares one by one (direct_sums.hpp). Throws std::logic_error where apply() does and when
  /// uncertainties are tracked, std::invalid_argument without a reach for each impact.
  AppliedStorm apply_directly(std::span<const Impact> impacts,
                              std::span<const std::int64_t> reaches, Screened* found);

  /// The cells' values (0 before any storm), and uncertainties where they are tracked.
  void values(std::span<double> values) const;
  void uncertainties(std::span<float> uncertainties) const;

 private:
  friend class GatheredStorms;
  friend class AppliedStorm;

  int fields() const { return cells_.tracks_uncertainty() ? 2 : 1; }
  std::int64_t first_position() const;
  double unit_of_moments() const;
  void reach(double distance);
  bool counts_before(const StormImpacts& storm) const;
  bool counts_behind(const StormImpacts& storm) const;
  bool reaches_outside(const StormImpacts& storm) const;
  std::size_t gathered_at_once(std::span<const StormImpacts> storms) const;
  void gather_outside(const StormImpacts& storm, const GatheredImpacts& impacts);
  void require_nothing_gathered() const;
  void require_slab(const BorderStates& states) const;
  BorderStates no_states_at(std::int64_t border) const;
  BorderStates leaving(bool to_right, std::int64_t border);
  void come_in(const ComingIn& coming_in);
  void add_to_tiles();
  AppliedStorm apply_next(Screened* found);

  /// The storms that were gathered last, or none.
  struct Gathered {
    std::vector<UncertaintyGrowth> growth{};
    std::int64_t storms = 0;
    std::int64_t applied = 0;
    bool states_come_in = false;  ///< and have not yet
    bool in_tiles = false;        ///< what each tile adds to the states is known
  };

  Slab slab_;
  std::int64_t chunks_, tiles_;
  Attenuation attenuation_;
  double scale_;
  double rounding_ = 0;  ///< of each impact's share, with the present tables
  DeviceTables tables_;
  // The phases of a storm, in their order.
  std::optional<Outside> outside_;  ///< for the terms of the present tables
  Sources sources_;
  TileStates states_;
  SlabBorders borders_;
  StoredCells cells_;
  DeviceArray<double> direct_sums_;  ///< of a storm whose shares end
  Gathered gathered_;
  std::int64_t gathered_times_ = 0;
  std::int64_t applied_storms_ = 0;
};

/// Storms that a layer has gathered and not all applied. Goes before the layer does; those that are
/// not applied by then are forgotten.
class [[nodiscard]] GatheredStorms {
 public:
  GatheredStorms(GatheredStorms&& other) noexcept
      : layer_(std::exchange(other.layer_, nullptr)),
        number_(other.number_),
        count_(other.count_) {}
  ~GatheredStorms();

  std::size_t count() const { return static_cast<std::size_t>(count_); }

  /// The functions of cpu::GatheredStorm, for one storm whose states come in. The states that leave
  /// are known before anything has come in; then comes apply(). Throw std::logic_error in another
  /// order or for other storms.
  BorderStates leaving_right(std::int64_t border) const;
  BorderStates leaving_left(std::int64_t border) const;
  ComingIn nothing_coming_in() const;
  void come_in(const ComingIn& coming_in);

  /// Adds the next of them to the layer and relaxes it. found->peak becomes its largest strict
  /// local maximum above 0 among the own cells, found->count 0; in device memory. Throws
  /// std::logic_error when all are applied or the layer has been cleared.
  AppliedStorm apply(Screened* found);

 private:
  friend class ConvolvedLayer;
  GatheredStorms(ConvolvedLayer& layer, std::int64_t number, std::int64_t count)
      : layer_(&layer), number_(number), count_(count) {}
  void require_states_to_come() const;

  ConvolvedLayer* layer_;  ///< nullptr: moved from
  std::int64_t number_;    ///< ConvolvedLayer::gathered_times_ then
  std::int64_t count_;
};

/// The layer after a storm, as long as no other is applied.
class AppliedStorm {
 public:
  /// Completes what apply() found: looks among the own cells for those that may be the maximum when
  /// every cell may be off by factor * |value| + absolute plus its uncertainty. They are put among
  /// the candidates, as far as there is room, behind those that `before` stands for (nullptr: from
  /// the first one on). In memory that the device reaches; in no order. Throws std::logic_error
  /// when the layer has gone on.
  void screen(double factor, std::span<Candidate> candidates, const Screened* before,
              double absolute = 0) const;

 private:
  friend class ConvolvedLayer;
  AppliedStorm(const ConvolvedLayer& layer, Screened* found)
      : layer_(&layer), number_(layer.applied_storms_), found_(found) {}

  const ConvolvedLayer* layer_;
  std::int64_t number_;  ///< ConvolvedLayer::applied_storms_ then
  Screened* found_;
};

}  // namespace bombard::cuda
