#include "sim/reference_double.hpp"

#include <cmath>

namespace bombard {

namespace {

void relax(std::vector<long double>& values, std::vector<long double>& copy) {
  copy = values;
  for (std::size_t k = 1; k + 1 < values.size(); ++k) {
    values[k] = (copy[k - 1] + copy[k] + copy[k + 1]) / 3;
  }
}

}  // namespace

ReferenceInDouble::ReferenceInDouble(std::int64_t cells, const Rule& rule)
    : rule_(rule),
      layer_(static_cast<std::size_t>(cells), 0.0L),
      magnitudes_(layer_),
      copy_(layer_) {
  attenuated_.reserve(layer_.size());
  for (std::int64_t n = 1; n <= cells; ++n) attenuated_.push_back(attenuated(n));
}

long double ReferenceInDouble::attenuated(std::int64_t distance) const {
  const auto n = static_cast<long double>(distance);
  const auto power = static_cast<long double>(rule_.attenuation.power);
  const auto range = static_cast<long double>(rule_.attenuation.range);
  return (power == 0.5L ? 1 / std::sqrt(n) : std::pow(n, -power)) * std::exp(-(n - 1) / range);
}

void ReferenceInDouble::apply(const Storm& storm) {
  const auto cells = static_cast<std::int64_t>(layer_.size());
  const bool first_edition = rule_.edition == Edition::first;
  const long double scale = first_edition ? 1 / 1000.0L : 1000 / static_cast<long double>(cells);
  for (const Impact& impact : storm.impacts) {
    const long double energy = impact.energy * scale;
    for (std::int64_t k = 0; k < cells; ++k) {
      const std::int64_t n = std::abs(impact.position - k) + 1;
      const long double share =
          energy * (n <= cells ? attenuated_[static_cast<std::size_t>(n - 1)] : attenuated(n));
      layer_[static_cast<std::size_t>(k)] += share;
      magnitudes_[static_cast<std::size_t>(k)] += std::fabs(share);
    }
  }
  relax(layer_, copy_);
  relax(magnitudes_, copy_);
}

Maximum ReferenceInDouble::maximum() const {
  Maximum largest;
  long double value = 0;
  for (std::size_t k = 1; k + 1 < layer_.size(); ++k) {
    if (layer_[k] > value && layer_[k] > layer_[k - 1] && layer_[k] > layer_[k + 1]) {
      value = layer_[k];
      largest = {static_cast<std::int64_t>(k), static_cast<double>(value)};
    }
  }
  return largest;
}

bool ReferenceInDouble::may_be_maximum(const Maximum& answer, double tolerance) const {
  const auto highest = [&](std::size_t k) { return layer_[k] + slack(k, tolerance); };
  const auto lowest = [&](std::size_t k) { return layer_[k] - slack(k, tolerance); };
  if (answer != Maximum{}) {
    if (answer.position < 1 || answer.position + 2 > static_cast<std::int64_t>(layer_.size())) {
      return false;
    }
    const auto k = static_cast<std::size_t>(answer.position);
    const bool near = lowest(k) <= answer.value && answer.value <= highest(k);
    if (!near || highest(k) <= lowest(k - 1) || highest(k) <= lowest(k + 1)) return false;
  }
  for (std::size_t k = 1; k + 1 < layer_.size(); ++k) {
    const bool peak = lowest(k) > highest(k - 1) && lowest(k) > highest(k + 1);
    if (peak && lowest(k) > answer.value) return false;
  }
  return true;
}

}  // namespace bombard
