#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/table.hpp"
#include "kernels/base/measure.hpp"
#include "solvers/implementation.hpp"

namespace bombard {

/// The request for a study.
struct StudyRequest {
  std::vector<std::int64_t> sizes;  ///< none: the study's own
  bool cpu = true;
  bool gpu = false;
  bool once = false;  ///< launch everything once, for a profiler: no times
};

/// A study's findings. Every result that was timed was checked as well.
struct StudyFindings {
  StudyRequest request;
  Table table;                          ///< a row for each implementation and size
  double copy_bandwidth = unknown;      ///< of a device copy
  std::vector<std::string> notes = {};  ///< limits measured in the same run, for people
  bool valid = true;                    ///< whether all checks passed
};

/// Limits of the device, measured in the same run, which the CUDA part registers.
struct DeviceLimits {
  double (*copy_bandwidth)();  ///< bytes per second, read and written
  KernelFigures (*empty_launch)();
};

/// An operation at one size.
struct StudiedOperation {
  std::string name;
  std::int64_t size;
  double operations;          ///< that it takes
  double bytes = unknown;     ///< that it must read
  std::int64_t repeated = 1;  ///< an implementation does it this number of times
};

/// An implementation's row. `error` is relative to the error allowed; the speed-up is relative to
/// `first_seconds`.
void add_row(StudyFindings& findings, const StudiedOperation& operation, const std::string& method,
             std::int64_t block, const KernelFigures& figures, double first_seconds, double error);

/// Compares implementations of an operation at one size. Each produces a Result: it is timed, its
/// result is checked against the first one's, and a row is added.
template <class Result>
class Comparison {
 public:
  /// The error of a result relative to the error allowed; `unit` is the unit roundoff of its
  /// arithmetic.
  using Error = std::function<double(const Result& found, const Result& expected, double unit)>;
  static constexpr double in_single = 0x1p-24, in_double = 0x1p-53;

  /// `before` is what an implementation finds where it puts its result.
  Comparison(StudyFindings& findings, StudiedOperation operation, Result before, Error error)
      : findings_(findings),
        operation_(std::move(operation)),
        before_(std::move(before)),
        error_(std::move(error)) {}

  /// work(result) on the CPU: the first one always, others if the study is asked for them.
  template <class Work>
  void on_cpu(const std::string& method, const Work& work, double unit = in_single) {
    if (expected_ && !findings_.request.cpu) return;
    Result result = before_;
    const double seconds = host_seconds([&] { work(result); });
    add(method, 0, {.seconds = seconds}, std::move(result), unit);
  }

  /// work(run, result, figures) of all implementations on the current device, if the study is
  /// asked for them.
  template <class Implementation, class Work>
  void on_gpu(const Work& work, double unit = in_single) {
    if (!findings_.request.gpu) return;
    for (const Implementation& implementation : implementations<Implementation>()) {
      Result result = before_;
      KernelFigures figures{.once = findings_.request.once};
      work(implementation.run, result, &figures);
      add(implementation.name, implementation.block, figures, std::move(result), unit);
    }
  }

 private:
  void add(const std::string& method, std::int64_t block, const KernelFigures& figures,
           Result result, double unit) {
    const bool is_first = !expected_;
    if (is_first) first_seconds_ = figures.seconds;
    const double error = is_first ? 0 : error_(result, *expected_, unit);
    if (is_first) expected_ = std::move(result);
    add_row(findings_, operation_, method, block, figures, first_seconds_, error);
  }

  StudyFindings& findings_;
  StudiedOperation operation_;
  Result before_;
  Error error_;
  std::optional<Result> expected_;
  double first_seconds_ = unknown;
};

/// Measures the implementations of an operation at one size.
using Measure = void(StudyFindings&, std::int64_t size);
/// Sums by every scheme and block size, and element-wise minima of 3x3 matrices; the only study
/// that supports `once`.
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

  StudyFindings findings(const StudyRequest& request) const;
};
/// All studies.
const std::vector<Study>& studies();

}  // namespace bombard
