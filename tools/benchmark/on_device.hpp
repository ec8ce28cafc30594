#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "bombard/storm.hpp"
#include "kernels/device/device.hpp"

/// The device's half of the benchmark: bombard-bench of a build with CUDA registers it.
namespace bombard {

struct DeviceMeasurements {
  /// Between two events.
  double (*seconds_of)(const std::function<void()>& work);
  /// The plain kernel (plain.hpp) on a layer of zeros; the median of several.
  double (*plain_seconds)(std::span<const Impact> impacts, std::int64_t cells);
};

}  // namespace bombard
