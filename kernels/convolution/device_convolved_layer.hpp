#pragma once

#include <cstdint>
#include <span>

#include "kernels/convolution/candidates.hpp"
#include "kernels/convolution/deposit_sums.hpp"
#include "kernels/convolution/device_tables.hpp"
#include "kernels/convolution/uncertainty.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/layer/deposit.hpp"

namespace bombard::cuda {

template <class Amount>
struct SourceArray;
struct NearTiles;
struct States;
struct StormList;

/// A storm among several whose deposits follow one another on the device.
struct StormDeposits {
  std::int64_t count;
  std::int64_t lowest, highest;  ///< positions lie between
  DepositUncertainty uncertainty;
};

/// The same on the device, all of it there: calls return once launched. Sums are rounded in other
/// places than on the processor, and always in the same ones; energies of one cell are added as
/// integers, uncertainties in any order.
class ConvolvedLayer {
 public:
  /// As cpu::ConvolvedLayer; throws CannotRun when the device has less memory than bytes().
  ConvolvedLayer(std::int64_t cells, double power, double scale, double relative_error);

  /// Bytes of device memory for so many cells, with uncertainties or without. The first storm with
  /// many impacts takes 8 bytes a cell more, and as many for their uncertainties; on a small layer
  /// each of several that are gathered at once.
  static std::int64_t bytes(std::int64_t cells, bool with_uncertainty);

  double relative_error() const { return tables_.relative_error() + rounding_; }

  void clear();
  /// Throws CannotRun when the device has no room for the uncertainties.
  void track_uncertainty(double factor);
  bool tracks_uncertainty() const { return tracked_; }

  /// Gathers what the first of these storms bring, as many as can be at once, at least one, and
  /// says how many: all of them are to be applied then, one by one, and nothing else meanwhile.
  /// Small storms on a small layer take the time of one. Throws CannotRun without room for the
  /// energies.
  std::size_t gather(std::span<const Deposit> deposits, std::span<const StormDeposits> storms);
  /// Applies the next storm that was gathered. found->peak becomes the relaxed layer's largest
  /// strict local maximum above 0 among the cells own_begin .. own_end-1, found->count 0. All in
  /// device memory.
  void apply(const UncertaintyGrowth& growth, std::int64_t own_begin, std::int64_t own_end,
             Screened* found);
  /// Gathers and applies one storm.
  void apply(std::span<const Deposit> deposits, std::int64_t lowest, std::int64_t highest,
             const UncertaintyGrowth& growth, const DepositUncertainty& uncertainty,
             std::int64_t own_begin, std::int64_t own_end, Screened* found);

  /// Whether a storm of so many impacts is sooner applied by the following.
  bool prefers_cell_deposits(std::int64_t impacts) const;
  /// The same for a storm of many impacts, while no uncertainties are tracked: `deposits` fall on
  /// cells of the layer, `others` on none, at positions lowest .. highest.
  void apply(std::span<const CellDeposit> deposits, std::span<const Deposit> others,
             std::int64_t lowest, std::int64_t highest, std::int64_t own_begin,
             std::int64_t own_end, Screened* found);

  /// Completes what the last apply() found: looks among the cells own_begin .. own_end-1 for those
  /// that may be the maximum when every cell may be off by factor * |value| plus its uncertainty.
  /// They are put among the candidates, as far as there is room, behind those that `before` stands
  /// for (nullptr: from the first one on). In memory that the device reaches; in no order.
  void screen(double factor, std::int64_t own_begin, std::int64_t own_end,
              std::span<Candidate> candidates, const Screened* before, Screened* found) const;

  /// The cells' values (0 before any storm), and uncertainties where they are tracked.
  void values(std::span<double> values) const;
  void uncertainties(std::span<float> uncertainties) const;

 private:
  void reach(double distance);
  bool scans_at_once() const;
  bool is_sparse(std::int64_t deposits) const;
  bool is_dense(std::int64_t deposits) const;
  bool reaches_outside(const StormDeposits& storm) const;
  std::size_t gathered_at_once(std::span<const StormDeposits> storms) const;
  std::int64_t states_of_storm() const;
  void keep_room(std::int64_t storms, std::int64_t chunks);
  SourceArray<std::int64_t> energy_sources(std::int64_t storm);
  SourceArray<double> uncertainty_sources(std::int64_t storm);
  States states(std::int64_t storm, int field);
  NearTiles near_tiles();
  void add_outside(std::span<const Deposit> deposits, const StormDeposits& storm,
                   const StormList& list);
  void pass_states();

  /// The storms that were gathered last.
  struct Gathered {
    std::span<const Deposit> deposits;
    std::int64_t storms;
    bool sparse;  ///< one, of few deposits: most tiles are far from all of them
    std::int64_t applied = 0;
  };

  std::int64_t cells_, chunks_, tiles_;
  double rounding_;
  DeviceTables tables_;
  DeviceArray<double> outside_, states_, run_states_;
  DeviceArray<unsigned> active_runs_, taken_by_;
  DeviceArray<std::uint64_t> mask_;
  DeviceArray<unsigned> place_;
  DeviceArray<std::int64_t> energy_;
  DeviceArray<double> uncertainty_sum_;
  DepositSums deposit_sums_;
  bool outside_empty_ = true;
  Gathered gathered_{};
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

}  // namespace bombard::cuda
