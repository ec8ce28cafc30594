#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "inputs/output_file.hpp"

namespace bombard {

/// The element-wise minimum of a set of 3x3 matrices, row by row, and how many there were.
/// Every value that a set can hold (int32, float32, float64) is exact in double.
struct MatrixSetMinima {
  std::int64_t matrices = 0;
  std::array<double, 9> values{};
};

/// Reads a set of 3x3 matrices (docs/formats.md: text, or .npy of N x 3 x 3 int32, float32 or
/// float64) and takes the minimum of each of the nine positions as it reads, with `threads` threads
/// (0: all cores) and no storage. Of floats, a NaN makes its position's minimum NaN. Throws
/// InputError with file and line: a set of no matrices has no minimum, anything unexpected ends it.
MatrixSetMinima matrix_set_minima(const std::string& path, int threads);

/// Where read_matrix_batches() puts matrices. Both members are called by the reading threads, which
/// are numbered from 0; calls with different numbers may run at the same time.
struct MatrixBatchSink {
  virtual ~MatrixBatchSink() = default;
  /// Room for 9 * capacity values that thread `thread` may fill next.
  virtual std::span<std::int32_t> room(int thread) = 0;
  /// values[position * capacity + m] is the element at `position` (0..8, row by row) of matrix
  /// m < matrices <= capacity of a batch: one position's values are contiguous.
  virtual void take(int thread, std::span<const std::int32_t> values, std::int64_t matrices) = 0;
};

/// Reads a set of integer matrices (text, or .npy of int32) with `threads` threads (0: all cores),
/// each handing batches of up to `capacity` matrices, in no promised order, to the sink. Returns
/// the number of matrices. Throws InputError as above, and for a set of floats; batches may have
/// been taken by then. What the sink throws ends the reading and is thrown on.
std::int64_t read_matrix_batches(const std::string& path, int threads, std::int64_t capacity,
                                 MatrixBatchSink& sink);

/// Writes a set as text, each matrix given by its nine elements row by row; the caller commits the
/// file.
void write_matrix_set(std::span<const std::int32_t> elements, OutputFile& file);

}  // namespace bombard
