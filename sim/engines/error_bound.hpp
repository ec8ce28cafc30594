#pragma once

#include <cstdint>
#include <optional>

#include "inputs/storm.hpp"
#include "kernels/convolution/uncertainty.hpp"
#include "kernels/layer/part.hpp"
#include "sim/engines/storm_extent.hpp"

namespace bombard {

/// How far the rule's layer may lie from the fast one, storm by storm; derived line by line in
/// docs/methods.md, The bound. As long as all energies have one sign and cells are many, a factor
/// does: |rule - fast| <= factor() * fast in every cell. With both signs, or when the factor grows
/// so much that it pays, every cell has an uncertainty of its own, which the fast layer tracks.
class ErrorBound {
 public:
  /// More impacts prove nothing: their roundings alone add up to half the value, see holds().
  static constexpr std::int64_t most_impacts = std::int64_t{1} << 23;

  /// `fast_error` is the fast method's own, relative to the sum over |energy|.
  void add_storm(std::int64_t impacts, double fast_error);

  double factor() const;
  /// The uncertainty that impact number i (from 0) of the last storm adds, to be attenuated like
  /// its energy, as a multiple of |energy|: of_impacts().first - i * of_impacts().step.
  DepositUncertainty of_impacts() const;
  UncertaintyGrowth growth() const;
  /// Whether anything is proved: the roundings of a storm add up to less than half the value.
  bool holds() const;

 private:
  double impacts_ = 0;     // of the last storm
  double operations_ = 0;  // roundings at most, in all storms, after a share is computed
  double storms_ = 0;
  double fast_error_ = 0;
  double grown_ = 1;  // bound on (1 + u)^impacts
};

/// The error that the fast engines ask of the convolution: far below what the rule's own roundings
/// leave open, 10 u = 6e-7 and more.
inline constexpr double fast_error = 3e-8;

/// What is known of the layers after a storm.
struct StormBound {
  UncertaintyGrowth growth;
  DepositUncertainty uncertainty;  ///< of the storm's deposits
  double factor;                   ///< as ErrorBound's; 0 when every cell has its own uncertainty
  /// Set in the one storm from which on uncertainties are tracked: the factor before it.
  std::optional<double> tracked_from;
};

/// The bound of all storms of a fast engine in turn, and the reason when there is none any more.
template <class Law>
class StormBounds {
 public:
  /// `part` with its margin; `smallest` is T / L.
  StormBounds(const Part& part, float smallest) : part_(part), smallest_(smallest) {}

  /// Takes the next storm, which makes so many deposits, for a fast layer of this relative_error().
  /// False if nothing is proved from here on.
  bool take(std::int64_t deposits, double fast_error);
  /// The bound after this storm, the one taken last; none if nothing is proved from here on.
  /// `found` is its extent.
  std::optional<StormBound> after(const Storm& storm, const StormExtent& found);

  /// As StormBound's, after the last storm.
  double factor() const { return tracked_ ? 0 : bound_.factor(); }
  /// Why nothing is proved any more, a clause for Evidence.
  const char* why_none() const { return why_none_; }

 private:
  bool needs_uncertainties(const StormExtent& found) const;

  Part part_;
  float smallest_;
  ErrorBound bound_;
  double factor_before_ = 0;  ///< the last storm
  bool tracked_ = false;      ///< every cell has an uncertainty of its own
  const char* why_none_ = "";
};

/// How far a cell's value in binary64, once rounded to binary32, may lie from the rule's, when the
/// value itself is within `bound` of it.
float uncertainty_once_rounded(double value, double bound);

}  // namespace bombard
