#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bombard/device.hpp"
#include "bombard/errors.hpp"
#include "bombard/solve.hpp"
#include "inputs/array_file.hpp"
#include "inputs/output_file.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard::tools {

/// What a user can ask of any problem of `bombard solve`.
struct SolveRequest {
  /// Throws InputError for a wrong value, and if the result would replace a file that is read.
  explicit SolveRequest(const Arguments& given);

  const Arguments& given;
  std::vector<std::string> files;  ///< the number of them that the problem needs
  Device device;
  int threads = 0;                     ///< 0: all cores
  std::optional<Precision> precision;  ///< none: the file's, or binary64
  std::string kernel;                  ///< empty: chosen
  std::string start;                   ///< of an iteration; empty: zeros
  std::optional<OutputFile> output;    ///< none: standard output
  bool validate, quiet;
};

/// The problems. Each reads its files, solves, writes the result and returns the exit code: 0, or 1
/// if --validate finds a difference or an iteration does not converge.
int solve_jacobi(const Arguments& given);
int solve_product(const Arguments& given);
int solve_dot(const Arguments& given);
int solve_sort(const Arguments& given);
int solve_minima(const Arguments& given);
int solve_sum(const Arguments& given);
int solve_maximum(const Arguments& given);

/// Writes a result, an array of one or two dimensions; to be called once.
template <class T>
void write_result(SolveRequest& request, std::span<const T> elements,
                  const std::vector<std::int64_t>& shape) {
  if (request.output) {
    write_array(elements, shape, array_format(request.output->path()), *request.output);
    request.output->commit();
  } else {
    print(text_of(elements, shape.size() == 1 ? 1 : shape[1]));
  }
}

/// Returns what work() returns; what it finds wrong with the data is reported with the problem's
/// files.
template <class Work>
auto naming_files(const SolveRequest& request, const Work& work) {
  try {
    return work();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", fmt::join(request.files, ", "), error.what()));
  }
}

/// work(T{}) in the precision that is asked for, otherwise in double.
template <class Work>
int in_precision(const SolveRequest& request, const Work& work) {
  return request.precision == Precision::binary32 ? work(float{}) : work(double{});
}

/// A note on standard error unless --quiet.
void tell(const SolveRequest& request, const std::string& text);

/// Says how --validate ended and returns the exit code.
int verdict(const SolveRequest& request, bool agrees, const std::string& with,
            const std::string& detail);

/// Compares numbers with those of another program; number i may differ by allowed(i). Infinities
/// and NaN have no distance, but must be the same.
template <class Found, class Reference, class Allowed>
int compare(const SolveRequest& request, const Found& found, const Reference& reference,
            const Allowed& allowed, const std::string& with) {
  bool agrees = true;
  long double worst = 0;
  double allowed_there = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    // Long double also has the digits of 64-bit integers.
    const long double value = found[i];
    const long double expected = reference[i];
    const long double difference = std::abs(value - expected);
    if (value == expected || (std::isnan(value) && std::isnan(expected))) continue;
    if (!(difference <= allowed(i))) agrees = false;
    if (!(difference <= worst)) {
      worst = difference;
      allowed_there = allowed(i);
    }
  }
  return verdict(request, agrees, with,
                 worst == 0 ? std::string("no difference")
                            : fmt::format("largest difference {:.3g}, allowed there {:.3g}",
                                          static_cast<double>(worst), allowed_there));
}

/// The bound on the relative error of a sum of n products, with each sum and product rounded with
/// unit u = 2^-bits, in any order: gamma(n) = n u / (1 - n u) (Higham, "Accuracy and Stability of
/// Numerical Algorithms", 2002, section 3.1).
double rounding_bound(std::int64_t n, int bits);

/// The device that something ran on, for notes.
const char* device_word(bool on_gpu);

}  // namespace bombard::tools
