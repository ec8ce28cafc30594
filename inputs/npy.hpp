#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "inputs/input_file.hpp"
#include "inputs/output_file.hpp"

namespace bombard {

/// Elements of an array, in one of the types that are read and written.
using Elements = std::variant<std::span<const std::int32_t>, std::span<const std::int64_t>,
                              std::span<const float>, std::span<const double>>;

/// Whether a file begins as NumPy's arrays (.npy) do.
bool is_npy(const InputFile& file);

/// "3 x 4", for messages.
std::string shape_text(std::span<const std::int64_t> shape);

/// A NumPy array (.npy, versions 1.0 to 3.0) with one to three dimensions, in C order, of
/// little-endian int32, int64, float32 or float64. Views its file, which must outlive it. Throws
/// InputError for anything else, including a shape that the file's size contradicts.
class NpyArray {
 public:
  explicit NpyArray(const InputFile& file);

  /// Elements along each dimension: the last one varies fastest.
  const std::vector<std::int64_t>& shape() const { return shape_; }

  /// All elements, in the type that the file has.
  Elements values() const { return values_; }

 private:
  std::vector<std::int64_t> shape_;
  Elements values_;
};

/// The bytes before the elements of an array of any shape and of a type in NumPy's notation, "<f4"
/// or "<f8"; the elements follow as they lie in memory, in C order. All shapes of two dimensions
/// have headers of the same length.
std::string npy_header(std::string_view type, const std::vector<std::int64_t>& shape);

/// Writes an array of any shape in C order into a file that was opened before the values were
/// computed; the caller commits it.
void write_npy(const Elements& values, const std::vector<std::int64_t>& shape, OutputFile& file);

}  // namespace bombard
