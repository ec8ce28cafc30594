#include "tests/kernels/convolution/direct_layer.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <thread>

#include "tests/attenuations.hpp"

namespace bombard {

namespace {

// The most distances whose shares are kept.
constexpr std::int64_t most_kept = 1 << 16;

void relax(std::vector<long double>& v) {
  const std::vector<long double> copy = v;
  for (std::size_t k = 1; k + 1 < v.size(); ++k) v[k] = (copy[k - 1] + copy[k] + copy[k + 1]) / 3;
}

}  // namespace

DirectLayer::DirectLayer(std::int64_t cells, const Attenuation& attenuation_, long double scale_)
    : attenuation(attenuation_),
      scale(scale_),
      value(static_cast<std::size_t>(cells)),
      magnitude(value),
      uncertainty(value),
      near_shares_(1) {
  for (std::int64_t n = 1; n < std::min(4 * cells, most_kept); ++n) {
    near_shares_.push_back(computed(n));
  }
}

void DirectLayer::apply(const std::vector<Impact>& deposits, const StormUncertainty& of_storm) {
  const auto cells = static_cast<std::int64_t>(value.size());
  const auto add_to = [&](std::int64_t k) {
    long double sum = 0, of_magnitudes = 0, of_uncertainties = 0;
    for (std::size_t i = 0; i < deposits.size(); ++i) {
      const std::int64_t n = std::abs(deposits[i].position - k) + 1;
      const long double share = deposits[i].energy * share_of_one(n);
      sum += share;
      of_magnitudes += std::fabs(share);
      of_uncertainties +=
          (of_storm.first - of_storm.step * static_cast<double>(i)) * std::fabs(share);
    }
    uncertainty[k] += of_storm.growth * (uncertainty[k] + std::fabs(value[k]));
    value[k] += sum;
    magnitude[k] += of_magnitudes;
    uncertainty[k] += of_uncertainties + of_storm.rounding * std::fabs(value[k]);
  };
  {
    const std::int64_t threads = std::thread::hardware_concurrency();
    std::vector<std::jthread> all;
    for (std::int64_t thread = 0; thread < threads; ++thread) {
      all.emplace_back([&, thread] {
        for (std::int64_t k = thread; k < cells; k += threads) add_to(k);
      });
    }
  }
  relax(value);
  relax(magnitude);
  relax(uncertainty);
}

void DirectLayer::clear() {
  for (auto* const values : {&value, &magnitude, &uncertainty}) {
    std::ranges::fill(*values, 0.0L);
  }
}

/// The share of an energy of 1.
long double DirectLayer::share_of_one(std::int64_t distance) const {
  return distance < static_cast<std::int64_t>(near_shares_.size()) ? near_shares_[distance]
                                                                   : computed(distance);
}

long double DirectLayer::computed(std::int64_t distance) const {
  return scale * attenuated_in_long_double(attenuation, static_cast<long double>(distance));
}

}  // namespace bombard
