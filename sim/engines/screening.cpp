#include "sim/engines/screening.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace bombard {

namespace {

constexpr double u = 0x1p-24;       // a binary32 operation is off by a factor within 1 +- u
constexpr double slack = 1 + 1e-5;  // second orders and the roundings of the bounds themselves

}  // namespace

void ErrorBound::add_storm(std::int64_t impacts, double fast_error) {
  impacts_ = static_cast<double>(impacts);
  operations_ += impacts_ + 3;  // additions, and the relaxation's two sums and quotient
  storms_ += 1;
  fast_error_ = std::max(fast_error_, fast_error);
  grown_ = std::exp(impacts_ * u) * slack;
}

double ErrorBound::factor() const {
  const double fast = fast_error_ + storms_ * 0x1p-50;
  return (std::expm1(operations_ * u) + fast) / (1 - fast) * slack;
}

double ErrorBound::of_impact(std::int64_t i) const {
  const double additions = impacts_ - static_cast<double>(i);
  return (additions * u + 7 * u + fast_error_) * grown_;
}

double ErrorBound::step_of_impacts() const {
  return u * grown_;
}

UncertaintyGrowth ErrorBound::growth() const {
  return {impacts_ * u * grown_, 4 * u};
}

bool ErrorBound::holds() const {
  return operations_ * u < 0.5;
}

Screening::Screening(const cpu::ConvolvedLayer& layer, double factor, std::int64_t begin,
                     std::int64_t end)
    : layer_(layer),
      factor_(factor),
      begin_(std::max<std::int64_t>(begin, 1)),
      end_(std::min(end, layer.cells() - 1)) {}

double Screening::lower(std::int64_t cell) const {
  const double value = layer_.value(cell);
  return value - (factor_ * value + layer_.uncertainty(cell));
}

double Screening::upper(std::int64_t cell) const {
  const double value = layer_.value(cell);
  return value + (factor_ * value + layer_.uncertainty(cell));
}

double Screening::highest(std::int64_t group) const {
  const double highest = layer_.highest(group);
  return highest + factor_ * highest;
}

bool Screening::may_be_peak(std::int64_t cell) const {
  const double top = upper(cell);
  return top > 0 && top > lower(cell - 1) && top > lower(cell + 1);
}

std::optional<std::int64_t> Screening::best_peak() const {
  std::optional<std::int64_t> best;
  double value = 0;
  const auto search = [&](std::int64_t group) {
    const std::int64_t end = std::min(layer_.group_begin(group + 1), end_);
    for (std::int64_t k = std::max(layer_.group_begin(group), begin_); k < end; ++k) {
      const double here = layer_.value(k);
      const bool better = here > value || (best && here == value && k < *best);
      if (better && here > layer_.value(k - 1) && here > layer_.value(k + 1)) {
        best = k;
        value = here;
      }
    }
  };
  // The most promising group first: after it hardly another one can matter.
  std::int64_t first = 0;
  for (std::int64_t g = 1; g < layer_.groups(); ++g) {
    if (layer_.highest(g) > layer_.highest(first)) first = g;
  }
  search(first);
  for (std::int64_t g = 0; g < layer_.groups(); ++g) {
    if (highest(g) >= value) search(g);
  }
  return best;
}

std::vector<std::int64_t> Screening::candidates(double least, double most,
                                                std::size_t limit) const {
  std::vector<std::int64_t> cells;
  for (std::int64_t g = 0; g < layer_.groups(); ++g) {
    if (highest(g) < least) continue;
    const std::int64_t end = std::min(layer_.group_begin(g + 1), end_);
    for (std::int64_t k = std::max(layer_.group_begin(g), begin_); k < end; ++k) {
      const double top = upper(k);
      if (top < least || top >= most || !may_be_peak(k)) continue;
      cells.push_back(k);
      if (cells.size() > limit) return cells;
    }
  }
  return cells;
}

double Screening::reached_by(std::int64_t groups) const {
  if (groups >= layer_.groups()) return 0;
  std::vector<double> tops;
  for (std::int64_t g = 0; g < layer_.groups(); ++g) tops.push_back(highest(g));
  std::nth_element(tops.begin(), tops.begin() + groups, tops.end(), std::greater<>());
  return std::max(tops[static_cast<std::size_t>(groups)], 0.0);
}

}  // namespace bombard
