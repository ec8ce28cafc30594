#include "sim/engines/error_bound.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/base/unit_roundoff.hpp"
#include "kernels/layer/attenuation.hpp"

namespace bombard {

namespace {

// docs/methods.md, The bound, calls these u and 7.
constexpr double u = unit_roundoff_binary32;
constexpr double roundings_of_share = 7;
// The relaxation's two sums and its quotient; growth() needs one more for the rule's own value.
constexpr double roundings_of_relaxation = 3;
// Of the fast layer, in each storm: one addition, two sums, a product and the rounding of 1/3.
constexpr double fast_roundings_of_storm = 8 * unit_roundoff_binary64;
// Second orders and the roundings of the bounds themselves.
constexpr double slack = 1 + 1e-5;

// With so many impacts per cell, uncertainties cell by cell cost less than the candidates that they
// save (docs/methods.md, The bound).
constexpr double impacts_per_cell_of_dense_storm = 1.0 / 16;

}  // namespace

void ErrorBound::add_storm(std::int64_t impacts, double fast_error) {
  impacts_ = static_cast<double>(impacts);
  operations_ += impacts_ + roundings_of_relaxation;
  storms_ += 1;
  fast_error_ = std::max(fast_error_, fast_error);
  grown_ = std::exp(impacts_ * u) * slack;
}

double ErrorBound::factor() const {
  const double roundings = roundings_of_share + operations_;
  const double fast = fast_error_ + storms_ * fast_roundings_of_storm;
  return (std::expm1(roundings * u) + fast) / (1 - fast) * slack;
}

DepositUncertainty ErrorBound::of_impacts() const {
  // The first impact sees all of the storm's additions, each one after it one less.
  return {(impacts_ * u + roundings_of_share * u + fast_error_) * grown_, u * grown_};
}

UncertaintyGrowth ErrorBound::growth() const {
  return {impacts_ * u * grown_, (roundings_of_relaxation + 1) * u};
}

bool ErrorBound::holds() const {
  return (roundings_of_share + operations_) * u < 0.5;
}

template <class Law>
bool StormBounds<Law>::take(std::int64_t deposits, double fast_error) {
  factor_before_ = bound_.factor();
  bound_.add_storm(deposits, fast_error);
  if (bound_.holds()) return true;
  why_none_ = "so many impacts leave nothing that their roundings prove";
  return false;
}

template <class Law>
std::optional<StormBound> StormBounds<Law>::after(const Storm& storm, const StormExtent& found) {
  if (!every_share_counts<Law>(storm, found, part_.held, part_.total, smallest_)) {
    why_none_ = "some shares may be below the threshold";
    return std::nullopt;
  }
  StormBound bound{bound_.growth(), bound_.of_impacts(), 0, {}};
  if (!tracked_ && needs_uncertainties(found)) {
    tracked_ = true;
    bound.tracked_from = factor_before_;
  }
  bound.factor = factor();
  return bound;
}

/// A factor says nothing of sums that may cancel, and grows with the impacts of dense storms.
template <class Law>
bool StormBounds<Law>::needs_uncertainties(const StormExtent& found) const {
  const double dense = impacts_per_cell_of_dense_storm * static_cast<double>(part_.held.count());
  return found.negative || static_cast<double>(found.impacts) > dense;
}

template class StormBounds<SquareRootLaw>;

float uncertainty_once_rounded(double value, double bound) {
  return rounded_up(bound + std::fabs(value) * unit_roundoff_binary32);
}

}  // namespace bombard
