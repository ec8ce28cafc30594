#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Core>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bombard/solve.hpp"
#include "inputs/array_file.hpp"
#include "inputs/output_file.hpp"
#include "tools/cli/options.hpp"

namespace bombard::tools {

/// What a user asks of any problem of `bombard solve`, and what becomes of its result.
struct Problem {
  /// Throws InputError for a wrong value, and if the result would replace a file that is read.
  explicit Problem(const Arguments& given);

  const Arguments& given;
  const std::vector<std::string>& files;  ///< the number of them that the problem needs
  Device device;
  std::optional<Precision> precision;  ///< none: the file's, or binary64
  std::optional<OutputFile> output;    ///< none: standard output

  /// work(T{}) in the precision that is asked for, otherwise in double.
  template <class Work>
  int in_precision(const Work& work) const {
    return precision == Precision::binary32 ? work(float{}) : work(double{});
  }

  /// Returns what work() returns; what it finds wrong with the data is reported with the files.
  template <class Work>
  auto naming_files(const Work& work) const {
    try {
      return work();
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", fmt::join(files, ", "), error.what()));
    }
  }

  /// Writes the result, an array of one or two dimensions; to be called once.
  void write(const Elements& result, const std::vector<std::int64_t>& shape);

  /// A note on standard error unless --quiet.
  void tell(const std::string& text) const;

  /// The numbers of another program, and what each may differ by.
  using Expected = std::pair<Eigen::ArrayXd, Eigen::ArrayXd>;
  /// With --validate, compares the result with expected(), and says how they agree; infinities and
  /// NaN must be the same. Returns the exit code.
  int compare(const Elements& result, const std::function<Expected()>& expected) const;
};

/// The bound on what two sums of n products may differ by, relative to the sum of the magnitudes:
/// one with the unit roundoff of T in any order, the other in double.
template <class T>
constexpr double rounding_bound(std::int64_t n) {
  return static_cast<double>(n + 1) * std::numeric_limits<T>::epsilon();
}

/// The problems as topics of `bombard solve`. Each reads its files, solves, writes the result and
/// returns the exit code: 0, or 1 if --validate finds a difference or an iteration does not
/// converge.
std::vector<Subcommand> problems_of_matrices(), problems_of_vectors();

}  // namespace bombard::tools
