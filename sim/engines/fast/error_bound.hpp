#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "kernels/convolution/sparse/sparse_sources.hpp"
#include "kernels/convolution/uncertainty.hpp"
#include "kernels/layer/part.hpp"
#include "sim/engines/reaches.hpp"

namespace bombard {

/// The errors that engines ask of the convolution, relative to the sum over |energy|. In double
/// precision, about what binary64 allows; in single precision, far below what the rule's own
/// roundings leave open, 10 u = 6e-7 and more.
inline constexpr double double_precision_error = 1e-12;
inline constexpr double fast_error = 3e-8;

/// How far the rule's layer may lie from the fast one, storm by storm; derived line by line in
/// docs/methods.md, The bound. As long as all energies have one sign and cells are many, a factor
/// does: |rule - fast| <= factor() * fast + absolute() in every cell. With both signs, or when the
/// factor grows so much that it pays, every cell has an uncertainty of its own in place of the
/// factor, which the fast layer tracks.
class ErrorBound {
 public:
  /// More impacts prove nothing: their roundings alone add up to half the value, see holds().
  static constexpr std::int64_t most_impacts = std::int64_t{1} << 23;

  /// `roundings_of_share` is how many roundings a share meets until it is added; by default those
  /// of the square root.
  explicit ErrorBound(double roundings_of_share = 7) : roundings_of_share_(roundings_of_share) {}

  /// Adds a storm of `impacts` impacts. No cell counts more than `most_in_cell` of them.
  void add_storm(std::int64_t impacts, std::int64_t most_in_cell, double fast_error);
  /// In the storm that was added last, the fast layer may be off by `error` more in any cell.
  void add_absolute(double error);

  double factor() const;
  double absolute() const { return absolute_; }
  /// The discount of the energies of a storm to come, with `impacts` and `most_in_cell` as
  /// add_storm() will get them. The discounted sums keep to factor() and are not above the true
  /// sums: a late share meets few of the roundings that the factor counts.
  cpu::Discount discount_of_next(std::int64_t impacts, std::int64_t most_in_cell) const;
  /// The uncertainty that impact number i (from 0) of the last storm adds, to be attenuated like
  /// its energy, as a multiple of |energy|: of_impacts().first - i * of_impacts().step.
  DepositUncertainty of_impacts() const;
  UncertaintyGrowth growth() const;
  /// Whether anything is proved: the roundings of a storm add up to less than half the value.
  bool holds() const;

 private:
  double roundings_of_share_;
  double impacts_ = 0;     // of the last storm
  double in_cell_ = 0;     // of those in a cell at most
  double operations_ = 0;  // roundings at most, in all storms, after a share is computed
  double storms_ = 0;
  double fast_error_ = 0;
  double absolute_ = 0;
  double grown_ = 1;  // bound on (1 + u)^in_cell
};

/// The knowledge about the layers after a storm.
struct StormBound {
  UncertaintyGrowth growth;
  DepositUncertainty uncertainty;  ///< of the storm's deposits
  double factor;                   ///< as ErrorBound's; 0 when every cell has its own uncertainty
  double absolute;                 ///< as ErrorBound's
  bool shares_end;                 ///< not every share counts: the storm's deposits have reaches
  /// Set in the one storm from which on uncertainties are tracked: the factor before it.
  std::optional<double> tracked_from;
};

/// The bound of all storms of a fast engine in turn, and the reason when there is none any more.
class StormBounds {
 public:
  /// `part` with its margin. `reaches` outlives this. Both layers begin with these cells, the ones
  /// held; none: all are 0.
  StormBounds(const Part& part, const Rule& rule, Reaches& reaches,
              std::span<const float> held = {});

  /// Whether anything can be proved after one more storm of `impacts` impacts.
  bool may_take(std::int64_t impacts);
  /// The bound after the next storm, for a fast layer of these errors, its relative_error() and
  /// cut_error(); none if nothing is proved from here on.
  std::optional<StormBound> after(const StormView& storm, double relative_error,
                                  double cut_error = 0);

  /// As StormBound's, after the last storm.
  double factor() const { return tracked_ ? 0 : bound_.factor(); }
  cpu::Discount discount_of_next(std::int64_t impacts, std::int64_t most_in_cell) const {
    return bound_.discount_of_next(impacts, most_in_cell);
  }
  /// No cell counts more of a storm's impacts.
  std::int64_t most_in_a_cell(const StormView& storm) const;
  double absolute() const { return bound_.absolute(); }
  /// Why nothing is proved any more, a clause for Evidence.
  const char* why_none() const { return why_none_; }

 private:
  CellRange held_;
  AnyLayerRule rule_;
  double smallest_;  ///< share that counts
  Reaches* reaches_;
  ErrorBound bound_;
  std::int64_t impacts_ = 0;  ///< of all storms
  bool negative_;             ///< there may be sums that cancel
  bool may_overflow_;         ///< there may be sums beyond binary32
  bool tracked_ = false;      ///< every cell has an uncertainty of its own
  const char* why_none_ = "";
};

/// How far a cell's value in binary64, once rounded to binary32, may lie from the rule's, when the
/// value itself is within `bound` of it.
float uncertainty_once_rounded(double value, double bound);

}  // namespace bombard
