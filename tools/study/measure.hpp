#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/base/timer.hpp"

namespace bombard::tools {

inline double median(std::vector<double> seconds) {
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::ranges::nth_element(seconds, middle);
  return *middle;
}

/// Median seconds of work on the processor, warmed up; less than 5 repetitions only of work over
/// 0.2 s, once of work over a second.
template <class Work>
double host_seconds(const Work& work) {
  WallTimer first;
  work();
  if (first.seconds() > 1) return first.seconds();
  std::vector<double> seconds;
  WallTimer all;
  while (seconds.size() < 101 && (seconds.empty() || all.seconds() < 1)) {
    WallTimer timer;
    work();
    seconds.push_back(timer.seconds());
  }
  return median(seconds);
}

/// `count` numbers from -1 to 1 (integers: from -2^30 to 2^30), each a hash of its index
/// (splitmix64): the same on every machine, made on all cores.
template <class T>
std::vector<T> study_values(std::int64_t count, std::uint64_t seed) {
  std::vector<T> values(static_cast<std::size_t>(count));
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint64_t bits =
        (static_cast<std::uint64_t>(i) + seed * 0x632BE59BD9B4E019) * 0x9E3779B97F4A7C15;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
    bits ^= bits >> 31;
    if constexpr (std::is_integral_v<T>) {
      values[static_cast<std::size_t>(i)] = static_cast<T>(static_cast<std::int32_t>(bits) / 2);
    } else {
      values[static_cast<std::size_t>(i)] =
          static_cast<T>(static_cast<double>(bits >> 11) * 0x1p-52 - 1);
    }
  }
  return values;
}

}  // namespace bombard::tools
