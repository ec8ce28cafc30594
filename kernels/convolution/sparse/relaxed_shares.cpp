#include "kernels/convolution/sparse/relaxed_shares.hpp"

#include <cmath>
#include <cstddef>
#include <cstdlib>

namespace bombard::cpu {

RelaxedShares::RelaxedShares(const Attenuation& attenuation, double scale, std::int64_t near,
                             std::int64_t most_relaxations)
    : attenuation_(attenuation), scale_(scale), near_(near), most_relaxations_(most_relaxations) {
  std::vector<double>& table = tables_.emplace_back(1);
  for (std::int64_t d = 0; d < near + most_relaxations; ++d) table.push_back(unrelaxed(d));
  weights_.push_back({1});
}

double RelaxedShares::unrelaxed(std::int64_t distance) const {
  const auto n = static_cast<double>(distance + 1);
  return scale_ *
         (attenuation_ == square_root_attenuation ? 1 / std::sqrt(n) : attenuated(attenuation_, n));
}

/// Each relaxation needs one more distance of the table before. Distance -1 is the same as 1.
void RelaxedShares::make(std::int64_t relaxations) {
  while (static_cast<std::int64_t>(tables_.size()) <= relaxations) {
    const auto done = static_cast<std::int64_t>(tables_.size());
    const std::vector<double>& from = tables_.back();
    std::vector<double> table(1);
    for (std::int64_t d = 0; d < near_ + most_relaxations_ - done; ++d) {
      table.push_back((from[std::abs(d - 1) + 1] + from[d + 1] + from[d + 2]) / 3);
    }
    const std::vector<double>& weights_before = weights_.back();
    std::vector<double> weights(weights_before.size() + 2);
    for (std::size_t m = 0; m < weights_before.size(); ++m) {
      for (std::size_t i = 0; i < 3; ++i) weights[m + i] += weights_before[m] / 3;
    }
    tables_.push_back(std::move(table));
    weights_.push_back(std::move(weights));
  }
}

double RelaxedShares::at(std::int64_t distance, std::int64_t relaxations) const {
  if (distance < near_) return after(relaxations)[distance + 1];
  double sum = 0;
  std::int64_t d = distance - relaxations;
  for (const double weight : weights_[relaxations]) sum += weight * unrelaxed(std::abs(d++));
  return sum;
}

}  // namespace bombard::cpu
