#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bombard/storm.hpp"
#include "kernels/convolution/candidates.hpp"
#include "kernels/convolution/cuda/deposit_sums.hpp"
#include "kernels/convolution/cuda/source_ends.hpp"
#include "kernels/convolution/cuda/tables.hpp"
#include "kernels/convolution/slab.hpp"
#include "kernels/convolution/uncertainty.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/layer/attenuation.hpp"
#include "kernels/layer/cell_deposit.hpp"
#include "kernels/layer/cell_range.hpp"

namespace bombard::cuda {

template <class Amount>
struct SourceArray;
struct Cells;
struct NearTiles;
struct States;
struct StormList;

/// The impacts of a storm, in device memory.
struct StormDeposits {
  std::span<const Impact> deposits;
  std::int64_t lowest = 0, highest = -1;  ///< positions lie between; like this: there are none
  /// Asked for while uncertainties are tracked, of no account otherwise.
  std::optional<StormUncertainty> uncertainty{};
  /// In device memory, one for each deposit, or none: deposit i counts in the cells k with
  /// |position - k| + 1 <= reaches[i] and nowhere else. 2^62 or more: everywhere, as without.
  std::span<const std::int64_t> reaches{};
  /// Of a slab: what lies beyond its borders where the layer goes on counts as states that come in,
  /// GatheredStorms::come_in(), and not as a deposit. Without reaches and uncertainties.
  bool states_come_in = false;
};

/// The same of a storm of many impacts, without uncertainties, in half the memory: by their cells
/// those that fall on the layer, and all others.
struct StormDepositsByCell {
  std::span<const CellDeposit> on_cells;
  StormDeposits others;
};

class GatheredStorms;
class AppliedStorm;

/// The same on the device, all of it there: calls return once launched. Sums are rounded in other
/// places than on the processor, and always in the same ones; energies of one cell are added as
/// integers, uncertainties in any order.
///
/// A storm goes in phases, each of which gives what the next one is called on, so that none can
/// come before its time: gather(), GatheredStorms::apply() and AppliedStorm::screen(). A phase that
/// comes too late, on storms that others have taken the place of, throws std::logic_error.
class ConvolvedLayer {
 public:
  /// Loads the kernels that storms launch: the first layer takes a millisecond less.
  static void load();

  /// As cpu::ConvolvedLayer. Only the cells `own` may be a maximum, others are a margin. Throws
  /// CannotRun when the device has less memory than bytes().
  ConvolvedLayer(std::int64_t cells, const CellRange& own, const Attenuation& attenuation,
                 double scale, double relative_error);
  /// As cpu::ConvolvedLayer's slabs; `own` and positions of deposits count from its first cell.
  ConvolvedLayer(const Slab& slab, const CellRange& own, const Attenuation& attenuation,
                 double scale, double relative_error);

  /// Bytes of device memory for so many cells, with uncertainties or without. The first storm with
  /// many impacts takes 8 bytes a cell more, and as many for their uncertainties; on a small layer
  /// each of several that are gathered at once. Where that is more than there is, and impacts are
  /// fewer than half of the chunks of 64 cells, it takes 512 bytes an impact. One with reaches
  /// takes some 100 bytes a deposit and 12 a chunk of 64 cells.
  static std::int64_t bytes(std::int64_t cells, bool with_uncertainty);

  /// A storm's sums are off by no more than relative_error() times the sum of |share| over the
  /// shares that count, plus, where deposits end, cut_error() times the sum of |share| over the
  /// cells, one or two a deposit, that are the first not to count.
  double relative_error() const { return tables_.relative_error() + rounding_; }
  /// A source was added and is taken off again: its roundings stay, and those of what is taken off.
  double cut_error() const {
    // The sum of a single exponential has no error but roundings of arguments.
    const bool single = attenuation_.kind == Attenuation::Kind::exponential;
    return 2 * (rounding_ + (single ? tables_.sum_error() : 0));
  }

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
  bool tracks_uncertainty() const { return tracked_; }

  /// Gathers what the first of these storms bring, as many as can be at once, at least one. Small
  /// storms on a small layer whose deposits follow one another in memory take the time of one.
  /// Deposits stay where they are until all are applied. Throws CannotRun without room for the
  /// energies; std::logic_error while storms gathered before are still to be applied, and when
  /// uncertainties are tracked and a storm has none; std::invalid_argument without a storm, and
  /// when there are reaches, but not one for each deposit.
  [[nodiscard]] GatheredStorms gather(std::span<const StormDeposits> storms);
  /// Gathers a storm of many impacts. Throws like the other, and std::logic_error when
  /// uncertainties are tracked.
  [[nodiscard]] GatheredStorms gather(const StormDepositsByCell& storm);
  /// Whether a storm of so many impacts is sooner applied by its cells.
  bool prefers_by_cell(std::int64_t impacts) const;

  /// Gathers and applies one storm, see GatheredStorms::apply().
  AppliedStorm apply(const StormDeposits& storm, Screened* found);
  AppliedStorm apply(const StormDepositsByCell& storm, Screened* found);

  /// The cells' values (0 before any storm), and uncertainties where they are tracked.
  void values(std::span<double> values) const;
  void uncertainties(std::span<float> uncertainties) const;

 private:
  friend class GatheredStorms;
  friend class AppliedStorm;

  void reach(double distance);
  void require_shared_memory() const;
  void require_value_of_each_cell(std::size_t values) const;
  void begin();
  bool scans_at_once() const;
  bool is_sparse(std::int64_t deposits) const;
  bool is_dense(std::int64_t deposits) const;
  bool lacks_room(std::int64_t deposits) const;
  bool counts_before(const StormDeposits& storm) const;
  bool counts_behind(const StormDeposits& storm) const;
  bool reaches_outside(const StormDeposits& storm) const;
  std::size_t gathered_at_once(std::span<const StormDeposits> storms) const;
  std::int64_t states_of_storm() const;
  void keep_room(std::int64_t storms);
  void keep_amounts(std::int64_t chunks);
  SourceArray<std::int64_t> energy_sources(std::int64_t storm);
  SourceArray<double> uncertainty_sources(std::int64_t storm);
  States states(std::int64_t storm, int field);
  NearTiles near_tiles();
  std::span<const Impact> find_ends(std::span<const Impact> deposits,
                                    std::span<const std::int64_t> reaches, const StormList& list);
  void add_outside(std::span<const Impact> deposits, const StormDeposits& storm,
                   const StormList& list);
  void require_nothing_gathered() const;
  GatheredStorms begin_gathering(std::span<const Impact> deposits,
                                 std::span<const StormDeposits> storms, bool sparse);
  void add_to_cells(const StormList& list, bool dense);
  void require_slab(const BorderStates& states) const;
  BorderStates no_states_at(std::int64_t border) const;
  BorderStates leaving(bool to_right, std::int64_t border);
  void come_in(const ComingIn& coming_in);
  void add_to_tiles();
  void scan_states();
  void apply_to_tiles(const Terms& t, const NearTiles& applied, const Cells& cells,
                      std::int64_t storm);
  void apply_next(Screened* found);
  void screen(double factor, double absolute, std::span<Candidate> candidates,
              const Screened* before, Screened* found) const;

  /// The storms that were gathered last, or none.
  struct Gathered {
    std::span<const Impact> deposits;  ///< of all of them; none where they came by cell
    std::vector<UncertaintyGrowth> growth;
    std::int64_t storms = 0;
    std::int64_t applied = 0;
    bool sparse = false;          ///< one, of few deposits: most tiles are far from all of them
    bool by_place = false;        ///< energies are only of the chunks that deposits fall on
    bool states_come_in = false;  ///< and have not yet
    bool in_tiles = false;        ///< what each tile adds to the states is known
    std::shared_ptr<const StormList> ending{};  ///< these storms, where deposits have reaches
  };

  Slab slab_;
  std::int64_t cells_, chunks_, tiles_;
  Attenuation attenuation_;
  double scale_;
  CellRange own_;        ///< without the layer's ends, which are no maximum
  double rounding_ = 0;  ///< of each impact's share, with the present tables
  DeviceTables tables_;
  DeviceArray<double> outside_, states_, run_states_;
  DeviceArray<double> border_sums_;  ///< of what crosses the slab's borders
  DeviceArray<unsigned> active_runs_, taken_by_;
  DeviceArray<std::uint64_t> mask_;
  DeviceArray<unsigned> place_;
  DeviceArray<std::int64_t> energy_;
  DeviceArray<double> uncertainty_sum_;
  DepositSums deposit_sums_;
  std::optional<SourceEnds> source_ends_;  ///< from the first storm with reaches on
  bool outside_empty_ = true;
  Gathered gathered_;
  std::int64_t gathered_times_ = 0;
  std::int64_t applied_storms_ = 0;
  bool fresh_ = true;
  bool tracked_ = false;
  DeviceArray<double> layer_;
  DeviceArray<float> uncertainty_;
  DeviceArray<double> layer_edges_[2];  ///< before a storm and after it
  DeviceArray<float> uncertainty_edges_[2];
  DeviceArray<LayerPeak> tile_peaks_;
  DeviceArray<double> tile_tops_;
  DeviceArray<unsigned> finished_;
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

  /// Of one storm whose states come in: as cpu::GatheredStorm's. What leaves is known before
  /// anything has come in; then apply(). Throw std::logic_error in another order or for other
  /// storms.
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
  friend class GatheredStorms;
  AppliedStorm(const ConvolvedLayer& layer, Screened* found)
      : layer_(&layer), number_(layer.applied_storms_), found_(found) {}

  const ConvolvedLayer* layer_;
  std::int64_t number_;  ///< ConvolvedLayer::applied_storms_ then
  Screened* found_;
};

}  // namespace bombard::cuda
