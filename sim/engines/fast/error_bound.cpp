#include "sim/engines/fast/error_bound.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/base/unit_roundoff.hpp"
#include "sim/engines/costs.hpp"

namespace bombard {

namespace {

// docs/methods.md, The bound.
constexpr double u = unit_roundoff_binary32;
// Roundings of an energy: (float)v, the multiplier's product, (float)L, the quotient.
constexpr double roundings_of_energy = 4;
// The relaxation's two sums and its quotient; growth() needs one more for the rule's own value.
constexpr double roundings_of_relaxation = 3;
// Roundings of the fast layer in each storm: one addition, two sums, a product and the rounding of
// 1/3.
constexpr double fast_roundings_of_storm = 8 * unit_roundoff_binary64;
// Second orders and the roundings of the bounds themselves.
constexpr double slack = 1 + 1e-5;
// A share, and a relaxation, that comes to a subnormal number is off by half the least of them.
constexpr double least_subnormal = 0x1p-149;
// A share that the rule takes for 0 although it is none: |e| < 2^41 by a divisor beyond binary32.
constexpr double largest_lost_share = 0x1p-87;

// As long as no cell begins higher, no sum of three leaves binary32: the roundings of all storms
// that are screened let a cell grow to less than twice as much, and their impacts, fewer than 2^23,
// bring less than 2^65.
constexpr float most_held = 0x1p124F;

}  // namespace

void ErrorBound::add_storm(std::int64_t impacts, std::int64_t most_in_cell, double fast_error) {
  impacts_ = static_cast<double>(impacts);
  in_cell_ = static_cast<double>(most_in_cell);
  operations_ += in_cell_ + roundings_of_relaxation;
  storms_ += 1;
  fast_error_ = std::max(fast_error_, fast_error);
  grown_ = std::exp(in_cell_ * u) * slack;
  absolute_ *= std::exp((roundings_of_share_ + in_cell_ + roundings_of_relaxation) * u) * slack;
  add_absolute((in_cell_ + 1) * least_subnormal);
}

/// It grows as the storm's shares do by the roundings that follow.
void ErrorBound::add_absolute(double error) {
  absolute_ +=
      error * std::exp((roundings_of_share_ + in_cell_ + roundings_of_relaxation) * u) * slack;
}

double ErrorBound::factor() const {
  if (storms_ == 0) return 0;
  const double roundings = roundings_of_share_ + operations_;
  const double fast = fast_error_ + storms_ * fast_roundings_of_storm;
  return (std::expm1(roundings * u) + fast) / (1 - fast) * slack;
}

/// An impact that as many follow as a cell counts meets all of a storm's additions.
cpu::Discount ErrorBound::discount_of_next(std::int64_t impacts, std::int64_t most_in_cell) const {
  return {std::exp(-operations_ * u), std::exp(-u),
          1 + std::max<std::int64_t>(0, impacts - most_in_cell)};
}

/// After an impact come all those that follow it in the file, and no more than a cell counts.
DepositUncertainty ErrorBound::of_impacts() const {
  const double of_share = roundings_of_share_ * u + fast_error_;
  if (in_cell_ < impacts_ / 2) return {(in_cell_ * u + of_share) * grown_, 0};
  return {(impacts_ * u + of_share) * grown_, u * grown_};
}

UncertaintyGrowth ErrorBound::growth() const {
  return {in_cell_ * u * grown_, (roundings_of_relaxation + 1) * u};
}

bool ErrorBound::holds() const {
  return (roundings_of_share_ + operations_) * u < 0.5;
}

StormBounds::StormBounds(const Part& part, const Rule& rule, Reaches& reaches,
                         std::span<const float> held)
    : held_(part.held),
      rule_(layer_rule(rule, part.total)),
      smallest_(rule.smallest_share(part.total)),
      reaches_(&reaches),
      bound_(with_law(rule_,
                      []<class Law>(const LayerRule<Law>&) {
                        return std::ceil(roundings_of_energy + Law::roundings);
                      })),
      negative_(std::ranges::any_of(held, [](float value) { return value < 0; })),
      may_overflow_(std::ranges::any_of(
          held, [](float value) { return !(std::fabs(value) <= most_held); })) {}

bool StormBounds::may_take(std::int64_t impacts) {
  if (may_overflow_) {
    why_none_ = "cells are near the largest number there is";
    return false;
  }
  impacts_ += impacts;
  if (impacts_ < ErrorBound::most_impacts) return true;
  why_none_ = "the roundings of all impacts together leave nothing proved";
  return false;
}

std::optional<StormBound> StormBounds::after(const StormView& storm, double relative_error,
                                             double cut_error) {
  const StormExtent& found = storm.extent;
  const double factor_before = bound_.factor();
  const bool shares_end = !every_share_counts(rule_, found, held_);
  const std::int64_t in_cell = most_in_a_cell(storm);
  bound_.add_storm(static_cast<std::int64_t>(storm.impacts.size()), in_cell, relative_error);
  if (shares_end) {
    const double beyond = std::max(smallest_ * slack, largest_lost_share);
    // Twice: what sources leave of their uncertainties is less than what they leave themselves.
    bound_.add_absolute(2 * cut_error * static_cast<double>(found.impacts) * beyond);
  }
  if (!bound_.holds()) {
    why_none_ = "the roundings of all impacts together leave nothing proved";
    return std::nullopt;
  }
  // A factor says nothing of sums that may cancel, and grows with the impacts of dense storms. But
  // where a cell counts few of the impacts, its own uncertainty would be no less than the factor's.
  const bool factor_is_as_good = 2 * in_cell < found.impacts;
  const bool dense = is_dense(found.impacts, held_.count()) && !factor_is_as_good;
  StormBound bound{bound_.growth(), bound_.of_impacts(), 0, bound_.absolute(), shares_end, {}};
  negative_ = negative_ || found.negative;
  if (!tracked_ && (negative_ || dense)) {
    tracked_ = true;
    bound.tracked_from = factor_before;
  }
  bound.factor = factor();
  return bound;
}

std::int64_t StormBounds::most_in_a_cell(const StormView& storm) const {
  if (every_share_counts(rule_, storm.extent, held_)) return storm.extent.impacts;
  return bombard::most_in_a_cell(storm.impacts, *reaches_, held_);
}

float uncertainty_once_rounded(double value, double bound) {
  return rounded_up(bound + std::fabs(value) * unit_roundoff_binary32);
}

}  // namespace bombard
