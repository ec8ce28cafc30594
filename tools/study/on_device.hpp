#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kernels/device/device.hpp"

/// The device's half of each study, which the CUDA part registers. Spans are of host memory. Every
/// result is written to the study's own array before `add` is called, which checks it and adds a
/// row.
namespace bombard::tools {

/// Limits measured in the same run.
struct DeviceLimits {
  double (*copy_bandwidth)();  ///< bytes a second, read and written ones counted
  double (*empty_launch_seconds)();
  double (*single_empty_launch_seconds)();
};

using AddMethod = std::function<void(const std::string& method, double seconds)>;
using AddMethodAndBlock =
    std::function<void(const std::string& method, std::int64_t block, double seconds)>;

/// With `once` every scheme is launched once and no time is taken.
struct DeviceReductionStudy {
  /// add(scheme, threads per block, seconds, seconds of a single call, sum, operations for each
  /// access, occupancy)
  using AddSum =
      std::function<void(const std::string&, std::int64_t, double, double, double, double, double)>;
  void (*sums)(std::span<const float> values, bool once, const AddSum& add);
  /// add(scheme, seconds, seconds of a single call); `found` takes the nine minima.
  using AddMinima = std::function<void(const std::string&, double, double)>;
  void (*minima)(std::span<const std::int32_t> values, bool once, std::span<std::int32_t> found,
                 const AddMinima& add);
};

struct DeviceProductStudy {
  void (*products)(std::int64_t n, std::span<const float> a, std::span<const float> b,
                   std::span<float> c, const AddMethodAndBlock& add);
};

struct DeviceDotStudy {
  /// add(method, threads for each row, seconds, unit roundoff of its sums)
  using AddDots = std::function<void(const std::string&, std::int64_t, double, double)>;
  void (*row_dots)(std::int64_t n, std::span<const float> a, std::span<const float> b,
                   std::span<double> dots, const AddDots& add);
};

struct DeviceJacobiStudy {
  void (*sweep)(std::span<const float> a, std::span<const float> diagonal, std::span<const float> b,
                std::int64_t sweeps, std::vector<float>& x, const AddMethod& add);
};

struct DeviceSortStudy {
  void (*sorts)(std::span<const std::int32_t> values, std::span<std::int32_t> sorted,
                const AddMethod& add);
};

}  // namespace bombard::tools
