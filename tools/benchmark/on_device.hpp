#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "bombard/storm.hpp"
#include "kernels/device/device.hpp"
#include "sim/engines/engines.hpp"

/// The device's half of the benchmark: bombard-bench of a build with CUDA registers it.
namespace bombard {

struct DeviceMeasurements {
  /// Between two events.
  double (*seconds_of)(const std::function<void()>& work);
  /// The median of several, each read and each written byte of a copy within device memory.
  double (*copy_seconds)(std::int64_t bytes);
  /// The plain kernel (plain.hpp) on a layer of zeros; the median of several.
  double (*plain_seconds)(std::span<const Impact> impacts, std::int64_t cells);
  /// The convolution alone, impacts on the device, storm after storm; the median of several. `peak`
  /// becomes the highest after two.
  double (*convolution_seconds)(Precision precision, std::int64_t cells, const Storm& storm,
                                double& peak);
};

/// Registers the arg-max reductions with Google Benchmark: both of 1e8 floats, and against a device
/// copy in the same run.
struct DeviceBenchmarks {
  void (*add)();
};

}  // namespace bombard
