#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/convolution/uncertainty.hpp"
#include "kernels/layer/attenuation.hpp"
#include "kernels/layer/deposit.hpp"

namespace bombard {

/// The layer as the definition says, in long double: sums one by one, then relaxed; and the same
/// over absolute energies, which the errors are measured against.
class DirectLayer {
 public:
  explicit DirectLayer(std::int64_t cells, const Attenuation& attenuation_ = {},
                       long double scale_ = 1)
      : attenuation(attenuation_),
        scale(scale_),
        value(static_cast<std::size_t>(cells)),
        magnitude(value),
        uncertainty(value),
        near_shares(static_cast<std::size_t>(2 * cells)) {
#pragma omp parallel for
    for (std::int64_t n = 1; n < 2 * cells; ++n) near_shares[n] = computed(n);
  }

  void apply(const std::vector<Deposit>& deposits, const std::vector<std::int64_t>& reaches = {},
             const DepositUncertainty& of_deposits = {0, 0},
             const UncertaintyGrowth& growth = {0, 0}) {
    const auto cells = static_cast<std::int64_t>(value.size());
    for (std::int64_t k = 0; k < cells; ++k) {
      uncertainty[k] += growth.growth * (uncertainty[k] + std::fabs(value[k]));
    }
#pragma omp parallel for
    for (std::int64_t k = 0; k < cells; ++k) {
      for (std::size_t i = 0; i < deposits.size(); ++i) {
        const std::int64_t n = std::abs(deposits[i].position - k) + 1;
        if (!reaches.empty() && n > reaches[i]) continue;
        const long double f = share_of_one(n);
        const long double share = std::fabs(static_cast<long double>(deposits[i].energy)) * f;
        value[k] += deposits[i].energy * f;
        magnitude[k] += share;
        uncertainty[k] += (of_deposits.first - of_deposits.step * static_cast<double>(i)) * share;
      }
      uncertainty[k] += growth.rounding * std::fabs(value[k]);
    }
    for (std::size_t i = 0; i < reaches.size(); ++i) {
      cut += std::fabs(static_cast<long double>(deposits[i].energy)) * share_of_one(reaches[i] + 1);
    }
    relax(value);
    relax(magnitude);
    relax(uncertainty);
  }

  Attenuation attenuation;
  long double scale;
  std::vector<long double> value, magnitude, uncertainty;
  long double cut = 0;  ///< the sum of |share| where deposits have ended, each in its first cell

 private:
  /// The share of an energy of 1.
  long double share_of_one(std::int64_t distance) const {
    return distance < static_cast<std::int64_t>(near_shares.size()) ? near_shares[distance]
                                                                    : computed(distance);
  }

  long double computed(std::int64_t distance) const {
    const auto n = static_cast<long double>(distance);
    const auto parameter = static_cast<long double>(attenuation.parameter);
    if (attenuation.kind == Attenuation::Kind::exponential) {
      return scale * std::exp(-(n - 1) / parameter);
    }
    return scale / (parameter == 0.5L ? std::sqrt(n) : std::pow(n, parameter));
  }

  static void relax(std::vector<long double>& v) {
    const std::vector<long double> copy = v;
    for (std::size_t k = 1; k + 1 < v.size(); ++k) v[k] = (copy[k - 1] + copy[k] + copy[k + 1]) / 3;
  }

  std::vector<long double> near_shares;  ///< [distance]
};

/// Of a storm whose first deposit is off by a thousandth, and the last one by half as much.
inline DepositUncertainty thousandth(const std::vector<Deposit>& deposits) {
  return {0.001, 0.0005 / static_cast<double>(deposits.size())};
}

}  // namespace bombard
