#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Core>
#include <limits>
#include <optional>
#include <string>
#include <vector>

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
void write_result(SolveRequest& request, const Elements& elements,
                  const std::vector<std::int64_t>& shape);

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

/// --validate: compares numbers with those of another program, says how they agree, and returns the
/// exit code. Each may differ by what is allowed there; infinities and NaN must be the same.
int compare(const SolveRequest& request, const Eigen::ArrayXd& found,
            const Eigen::ArrayXd& expected, const Eigen::ArrayXd& allowed,
            const std::string& with = "Eigen");

/// The bound on what two sums of n products may differ by, relative to the sum of the magnitudes:
/// one with the unit roundoff of T in any order, the other in double.
template <class T>
constexpr double rounding_bound(std::int64_t n) {
  return static_cast<double>(n + 1) * std::numeric_limits<T>::epsilon();
}

}  // namespace bombard::tools
