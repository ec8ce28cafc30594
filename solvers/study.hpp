#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/table.hpp"
#include "kernels/base/measure.hpp"
#include "solvers/kernel.hpp"

namespace bombard {

/// A number that is not known.
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// A study's request and its findings. Every result that was timed was checked as well.
struct Findings {
  bool cpu = true;
  bool gpu = false;
  Table table = Table({"operation", "size", "method", "block", "microseconds", "Gop/s", "GB/s",
                       "of copy", "speed-up", "error/bound", "valid"});
  double copy_bandwidth = unknown;  ///< of the device, measured in the same run
  bool valid = true;                ///< whether all checks passed
};

/// The rate of a device copy, in bytes per second, read and written: what the CUDA part registers.
using CopyBandwidth = double (*)();

/// An operation at one size.
struct StudiedOperation {
  std::string name;
  std::int64_t size;
  double operations;          ///< that it takes
  double bytes = unknown;     ///< that it must read
  std::int64_t repeated = 1;  ///< each way does it this number of times
};

/// Ways to do it, each of which leaves a Result: the first one on the CPU always, others on the
/// devices that are asked for.
template <class Result>
struct Ways {
  struct Way {
    std::string name;
    int block;
    std::function<double(Result&)> run;  ///< returns the seconds that it took
  };

  /// work(result).
  template <class Work>
  void on_cpu(const std::string& name, const Work& work) {
    if (!all.empty() && !findings.cpu) return;
    all.push_back(
        {name, 0, [work](Result& result) { return host_seconds([&] { work(result); }); }});
  }

  /// work(function, result, &seconds) of each kernel.
  template <class Kernel, class Work>
  void on_gpu(const Work& work) {
    if (!findings.gpu) return;
    for (const Kernel& kernel : kernels<Kernel>()) {
      all.push_back({kernel.name, kernel.block, [work, kernel](Result& result) {
                       double seconds = unknown;
                       work(kernel.run, result, &seconds);
                       return seconds;
                     }});
    }
  }

  Findings& findings;
  std::vector<Way> all = {};
};

/// Adds a row; the error is relative to the one allowed, the speed-up to `first_seconds`.
void add_row(Findings& findings, const StudiedOperation& operation, const std::string& method,
             int block, double seconds, double first_seconds, double error);

/// Runs all ways, each from the same state, and compares its result with the first one's by
/// error(result, expected), relative to the error allowed.
template <class Result, class Error>
void compare(const Ways<Result>& ways, const StudiedOperation& operation, const Result& before,
             const Error& error) {
  std::optional<Result> expected;
  double first_seconds = unknown;
  for (const auto& [name, block, run] : ways.all) {
    Result result = before;
    const double seconds = run(result);
    if (!expected) {
      first_seconds = seconds;
      expected = result;
    }
    add_row(ways.findings, operation, name, block, seconds, first_seconds,
            error(result, *expected));
  }
}

/// Measures the ways to do an operation at one size, on the devices that are asked for, and one of
/// the CPU to compare with.
using Measure = void(Findings&, std::int64_t size);
/// Sums by every scheme and block size, and element-wise minima of 3x3 matrices.
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
  std::int64_t largest_size;  ///< up to which 64 bits can count the bytes
  std::vector<std::int64_t> sizes;
  Measure* measure;
};
/// All studies.
const std::vector<Study>& studies();

}  // namespace bombard
