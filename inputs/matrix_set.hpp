#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <variant>

#include "inputs/input_file.hpp"
#include "inputs/npy.hpp"
#include "inputs/output_file.hpp"

namespace bombard {

/// Bytes of a section of a text. A thread reads the matrices that begin in one section, then takes
/// another section.
inline constexpr std::size_t matrix_section_size = std::size_t{1} << 18;

/// Takes matrices, nine elements of T each, row by row, one after another. The reading threads call
/// it, also at the same time.
template <class T>
using TakeMatrices = std::function<void(std::span<const T> elements)>;

/// A set of 3x3 matrices (docs/formats.md: text, or .npy of N x 3 x 3 int32, float32 or float64).
/// Its file must outlive it.
class MatrixSet {
 public:
  /// Throws InputError for a .npy array of anything else and for files of other formats.
  explicit MatrixSet(const InputFile& file, std::size_t section_size = matrix_section_size);

  /// A zero of the elements' type; of text, std::int32_t.
  std::variant<std::int32_t, float, double> element() const { return element_; }

  /// Hands every matrix on, a few hundred at a time, without storage; T is the elements' type. One
  /// thread hands them on in order. Returns their number. Throws InputError with file and line: a
  /// set must hold the number of matrices that it says, at least one, and nothing unexpected; of
  /// several mistakes the first is reported. An exception from `take` ends the reading and is
  /// passed on.
  template <class T>
  std::int64_t read(int threads, const TakeMatrices<T>& take) const;

 private:
  std::int64_t read_text(int threads, const TakeMatrices<std::int32_t>& take) const;

  const InputFile& file_;
  std::size_t section_size_;
  std::optional<NpyArray> array_;  ///< none: it is text
  std::variant<std::int32_t, float, double> element_;
};

/// Writes a set as text, each matrix given by its nine elements row by row; the caller commits the
/// file.
void write_matrix_set(std::span<const std::int32_t> elements, OutputFile& file);

}  // namespace bombard
