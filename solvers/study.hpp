#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/table.hpp"
#include "kernels/base/measure.hpp"
#include "kernels/device/device.hpp"
#include "solvers/kernel_timing.hpp"

namespace bombard {

/// The request for a study.
struct StudyRequest {
  std::vector<std::int64_t> sizes;  ///< none: the study's own
  bool cpu = true;
  bool gpu = false;
  bool once = false;  ///< launch everything once, for a profiler: no times
};

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// A study's findings. Every result that was timed was checked as well.
struct StudyFindings {
  Table table;
  double copy_bandwidth = unknown;      ///< of a device copy
  std::vector<std::string> notes = {};  ///< limits measured in the same run, for people
  bool valid = true;                    ///< whether all checks passed

  /// Counts a check in; returns what the table says of it.
  std::string checked(bool passed) {
    valid = valid && passed;
    return passed ? "yes" : "NO";
  }
};

/// Limits of the device, measured in the same run, which the CUDA part registers.
struct DeviceLimits {
  double (*copy_bandwidth)();  ///< bytes a second, read and written ones counted
  KernelTiming (*empty_launch)();
  bool (*has_cublas)();
};

/// Measures the implementations of an operation at one size, and adds a row for each.
using Measure = void(StudyFindings&, const StudyRequest&, std::int64_t size);
/// Sums by every scheme and block size, and element-wise minima of 3x3 matrices; the one study that
/// knows `once`.
Measure measure_reductions;
/// Products of square matrices of float.
Measure measure_products;
/// Scalar products of the rows of two square matrices of float.
Measure measure_dots;
/// Sweeps of Jacobi's iteration over dense systems of float.
Measure measure_jacobi;
/// Sorting integers.
Measure measure_sorts;

struct Study {
  std::string_view name;
  std::int64_t largest_size;  ///< up to which bytes are counted in 64 bits
  std::vector<std::string> columns;
  std::vector<std::int64_t> sizes;
  Measure* measure;

  StudyFindings findings(const StudyRequest& request) const;
};
/// All studies.
const std::vector<Study>& studies();

}  // namespace bombard
