#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "bombard/matrix_set_minima.hpp"
#include "inputs/mapped_file.hpp"
#include "inputs/npy.hpp"
#include "inputs/output_file.hpp"

namespace bombard {

/// A thread reads the matrices that begin in a section of so many bytes of a text, then others.
inline constexpr std::size_t matrix_section_size = std::size_t{1} << 18;

/// Reads a set of 3x3 matrices (docs/formats.md: text, or .npy of N x 3 x 3 int32, float32 or
/// float64) and takes the minimum of each of the nine positions as it reads, with `threads` threads
/// (0: all cores) and no storage. Of floats, a NaN makes its position's minimum NaN, and -0 is
/// below +0. Throws InputError with file and line: a set of no matrices has no minimum, anything
/// unexpected ends it.
MatrixSetMinima matrix_set_minima(const std::string& path, int threads);
MatrixSetMinima matrix_set_minima(const MappedFile& file, int threads,
                                  std::size_t section_size = matrix_section_size);

/// Where MatrixSetFile::read_batches() puts matrices of T. Both members are called by the reading
/// threads, which are numbered from 0; calls with different numbers may run at the same time.
template <class T>
struct MatrixBatchSink {
  virtual ~MatrixBatchSink() = default;
  /// Room for 9 * capacity values that thread `thread` may fill next.
  virtual std::span<T> room(int thread) = 0;
  /// values[position * capacity + m] is the element at `position` (0..8, row by row) of matrix
  /// m < matrices <= capacity of a batch: one position's values are contiguous.
  virtual void take(int thread, std::span<const T> values, std::int64_t matrices) = 0;
};

/// A set of 3x3 matrices (text or .npy, as above) to be handed on in batches.
class MatrixSetFile {
 public:
  /// Throws InputError when the file cannot be read or is a .npy array of anything else.
  explicit MatrixSetFile(const std::string& path);

  /// A zero of its elements' type; of text, std::int32_t.
  std::variant<std::int32_t, float, double> element() const;

  /// Reads with `threads` threads (0: all cores), each handing batches of up to `capacity`
  /// matrices, in no promised order, to the sink; T is the elements' type. Returns the number of
  /// matrices. Throws InputError as above; batches may have been taken by then. What the sink
  /// throws ends the reading and is thrown on.
  template <class T>
  std::int64_t read_batches(int threads, std::int64_t capacity, MatrixBatchSink<T>& sink) const;

 private:
  MappedFile file_;
  std::optional<NpyArray> array_;  ///< none: it is text
};

/// Writes a set as text, each matrix given by its nine elements row by row; the caller commits the
/// file.
void write_matrix_set(std::span<const std::int32_t> elements, OutputFile& file);

}  // namespace bombard
