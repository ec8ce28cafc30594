#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
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

/// An operation at one size, and ways to do it, each of which leaves a Result: the first one on the
/// CPU always, others on the devices that are asked for.
template <class Result>
struct Ways {
  Findings& findings;
  std::string operation;
  std::int64_t size;
  double operations;          ///< that it takes
  double bytes = unknown;     ///< that it must read
  std::int64_t repeated = 1;  ///< each way does it this number of times
  /// The name, the block and run(result), which returns the seconds that it took.
  std::vector<std::tuple<std::string, int, std::function<double(Result&)>>> all = {};

  /// work(result).
  template <class Work>
  void on_cpu(const std::string& name, const Work& work) {
    if (!all.empty() && !findings.cpu) return;
    all.emplace_back(name, 0,
                     [work](Result& result) { return host_seconds([&] { work(result); }); });
  }

  /// work(function, result, &seconds) of each kernel.
  template <class Kernel, class Work>
  void on_gpu(const Work& work) {
    if (!findings.gpu) return;
    for (const Kernel& kernel : kernels<Kernel>()) {
      all.emplace_back(kernel.name, kernel.block, [work, kernel](Result& result) {
        double seconds = unknown;
        work(kernel.run, result, &seconds);
        return seconds;
      });
    }
  }

  /// Runs all, each from the same state, and adds a row for each. error(result, first) is that of a
  /// result, compared with the first one's, relative to the error allowed.
  template <class Error>
  void compare(const Result& before, const Error& error) {
    std::optional<Result> expected;
    double first_seconds = unknown;
    for (const auto& [name, block, run] : all) {
      Result result = before;
      const double seconds = run(result) / static_cast<double>(repeated);
      if (!expected) {
        first_seconds = seconds;
        expected = result;
      }
      const double found = error(result, *expected);
      findings.valid = findings.valid && found <= 1;
      findings.table.add({operation, size, name,
                          block == 0 ? Table::Cell(unknown) : Table::Cell(std::int64_t{block}),
                          1e6 * seconds, 1e-9 * operations / seconds, 1e-9 * bytes / seconds,
                          bytes / seconds / findings.copy_bandwidth, first_seconds / seconds, found,
                          std::string(found <= 1 ? "yes" : "NO")});
    }
  }
};

/// Measures the ways to do an operation at one size, on the devices that are asked for, and one of
/// the CPU to compare with.
using Measure = void(Findings&, std::int64_t size);
Measure measure_reductions, measure_products, measure_dots, measure_jacobi, measure_sorts;

struct Study {
  std::string name, about;
  std::int64_t largest_size;  ///< up to which 64 bits can count the bytes
  std::vector<std::int64_t> sizes;
  Measure* measure;
};
/// All studies.
const std::vector<Study>& studies();

}  // namespace bombard
