#pragma once

#include <cstdint>
#include <optional>

#include "kernels/convolution/uncertainty.hpp"
#include "kernels/layer/part.hpp"
#include "sim/engines/storm_view.hpp"

namespace bombard {

/// The errors that engines require of the convolution, relative to the sum over |energy|. In double
/// precision, about what binary64 allows; in single precision, far below what the rule's own
/// roundings leave open, 10 u = 6e-7 and more.
inline constexpr double double_precision_error = 1e-12;
inline constexpr double fast_error = 3e-8;

/// How far the rule's layer may lie from the fast one, storm by storm; derived line by line in
/// docs/methods.md, The bound. As long as all energies have one sign and cells are many, a factor
/// is enough: |rule - fast| <= factor() * fast + absolute() in every cell. With both signs, or when
/// the factor grows so much that it pays, every cell has, instead of the factor, an uncertainty of
/// its own, which the fast layer tracks.
class ErrorBound {
 public:
  /// With more impacts nothing is proved: their roundings alone add up to half the value.
  static constexpr std::int64_t most_impacts = std::int64_t{1} << 23;

  /// For the cells that `part` holds; both layers begin with 0.
  explicit ErrorBound(const Part& part) : cells_(part.held.count()) {}

  /// Adds the next storm, whose shares all count in these cells, for a fast layer of this
  /// relative_error(). Null; or a clause for GaveUp if nothing is proved from here on.
  const char* add_storm(const StormView& storm, double relative_error);

  /// 0 when every cell has its own uncertainty.
  double factor() const { return tracked_ ? 0 : factor_; }
  double absolute() const { return absolute_; }
  /// After the storm with which the tracking of uncertainties begins: the factor before it.
  std::optional<double> tracked_from() const { return tracked_from_; }
  /// The uncertainty that the last storm adds, where it is tracked.
  StormUncertainty of_last_storm() const;

 private:
  double after_its_roundings(double error) const;

  std::int64_t cells_;
  bool negative_ = false;  ///< there may be sums that cancel
  std::int64_t all_impacts_ = 0;
  double impacts_ = 0;     ///< of the last storm
  double grown_ = 1;       ///< bound on (1 + u)^impacts
  double operations_ = 0;  ///< roundings at most, in all storms, after a share is computed
  double storms_ = 0;
  double fast_error_ = 0;
  double factor_ = 0;
  double absolute_ = 0;
  bool tracked_ = false;  ///< every cell has an uncertainty of its own
  std::optional<double> tracked_from_;
};

}  // namespace bombard
