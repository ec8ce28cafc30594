#include "sim/engines/screened/error_bound.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/base/unit_roundoff.hpp"
#include "sim/engines/costs.hpp"

namespace bombard {

namespace {

// docs/methods.md, The bound.
constexpr double u = unit_roundoff_binary32;
// Roundings of a share: four of its energy ((float)v, the multiplier's product, (float)L, the
// quotient), half a rounding for n, one for the root, one for the quotient; the next integer.
constexpr double roundings_of_share = 7;
// The relaxation's two sums and its quotient. `rounding` below has one more, for the rule's own
// value.
constexpr double roundings_of_relaxation = 3;
// Roundings of the fast layer in each storm: one addition, two sums, a product and the rounding of
// 1/3.
constexpr double fast_roundings_of_storm = 8 * unit_roundoff_binary64;
// Second orders and the roundings of the bounds themselves.
constexpr double slack = 1 + 1e-5;
// A share or a relaxation that gives a subnormal number is off by half the least of these.
constexpr double least_subnormal = 0x1p-149;

}  // namespace

const char* ErrorBound::add_storm(const StormView& storm, double relative_error) {
  const std::int64_t impacts = std::ssize(storm.impacts);
  all_impacts_ += impacts;
  impacts_ = static_cast<double>(impacts);
  grown_ = std::exp(impacts_ * u) * slack;
  operations_ += impacts_ + roundings_of_relaxation;
  storms_ += 1;
  fast_error_ = std::max(fast_error_, relative_error);
  const double roundings = roundings_of_share + operations_;
  if (all_impacts_ >= most_impacts || roundings * u >= 0.5) {
    return "the roundings of all impacts together are too large to prove anything";
  }
  absolute_ = after_its_roundings(absolute_ + (impacts_ + 1) * least_subnormal);

  // A factor says nothing about sums that may cancel, and grows with the impacts of dense storms.
  negative_ = negative_ || storm.extent.negative;
  tracked_from_.reset();
  if (!tracked_ && (negative_ || is_dense(impacts, cells_))) {
    tracked_ = true;
    tracked_from_ = factor_;
  }
  const double fast = fast_error_ + storms_ * fast_roundings_of_storm;
  factor_ = (std::expm1(roundings * u) + fast) / (1 - fast) * slack;
  return nullptr;
}

/// An error before the additions of the last storm; it grows as the storm's shares do by the
/// roundings that follow.
double ErrorBound::after_its_roundings(double error) const {
  const double roundings = roundings_of_share + impacts_ + roundings_of_relaxation;
  return error * std::exp(roundings * u) * slack;
}

/// The uncertainty that impact number i (from 0) of the last storm adds, to be attenuated like its
/// energy, as a multiple of |energy|: first - i * step. After an impact come all those that follow
/// it in the file.
StormUncertainty ErrorBound::of_last_storm() const {
  const double of_share = roundings_of_share * u + fast_error_;
  return {.first = (impacts_ * u + of_share) * grown_,
          .step = u * grown_,
          .growth = impacts_ * u * grown_,
          .rounding = (roundings_of_relaxation + 1) * u};
}

}  // namespace bombard
