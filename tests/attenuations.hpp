#pragma once

#include <cmath>
#include <vector>

#include "bombard/rule.hpp"

/// Attenuations of every law, flat and steep, for tests of any attenuation.
inline std::vector<bombard::Attenuation> sample_attenuations() {
  std::vector<bombard::Attenuation> samples;
  for (const double power : {0.1, 0.25, 0.5, 0.75, 1.0, 1.7, 2.0, 3.0, 3.25, 4.0, 5.3, 8.0}) {
    samples.push_back({power});
  }
  for (const double range : {1e-6, 0.1, 0.7, 1.0, 1.5, 7.0, 20.0, 64.0, 300.0, 1e5, 1e9}) {
    samples.push_back({0, range});
  }
  samples.insert(samples.end(),
                 {{0.1, 20}, {0.5, 0.05}, {0.5, 400}, {1, 64}, {1, 1e6}, {2.5, 7}, {8, 300}});
  return samples;
}

/// One of them in long double, at a distance n >= 1.
inline long double attenuated_in_long_double(const bombard::Attenuation& attenuation,
                                             long double n) {
  const auto power = static_cast<long double>(attenuation.power);
  const auto range = static_cast<long double>(attenuation.range);
  return (power == 0.5L ? 1 / std::sqrt(n) : std::pow(n, -power)) * std::exp(-(n - 1) / range);
}
