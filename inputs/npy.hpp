#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "inputs/mapped_file.hpp"
#include "inputs/output_file.hpp"

namespace bombard {

/// Elements of an array, in one of the types that are read and written.
using Elements = std::variant<std::span<const std::int32_t>, std::span<const std::int64_t>,
                              std::span<const float>, std::span<const double>>;

/// Whether a file begins as NumPy's arrays (.npy) do.
bool is_npy(const MappedFile& file);

/// What a .npy file holds: numbers, or records of named numbers (a structured array).
struct NpyRecords {
  /// NumPy's name of a type that is read; a gap between fields, which has no name, may have any
  /// type.
  struct Field {
    std::string_view name, type;
    std::size_t offset;
  };
  std::vector<Field> fields;  ///< plain numbers are one field without a name
  std::vector<std::int64_t> shape;
  std::size_t size = 0;    ///< bytes of a record
  std::string_view bytes;  ///< of all records, perhaps not aligned

  bool named() const { return fields.size() > 1 || !fields.front().name.empty(); }
};

/// Calls use(T{}) with the type that has this name in NumPy, one of those that are read.
template <class Use>
auto with_npy_type(std::string_view type, const Use& use) {
  if (type == "<i4") return use(std::int32_t{});
  if (type == "<i8") return use(std::int64_t{});
  if (type == "<f4") return use(float{});
  return use(double{});
}

/// "3 x 4", for messages.
std::string shape_text(std::span<const std::int64_t> shape);

/// Throws InputError for what NpyArray refuses, except records.
NpyRecords npy_records(const MappedFile& file);

/// A NumPy array (.npy, versions 1.0 to 3.0) of little-endian int32, int64, float32 or float64 with
/// one to three dimensions, in C order. Views its file, which must outlive it. Throws InputError
/// for anything else, including a shape that the file's size contradicts.
class NpyArray {
 public:
  explicit NpyArray(const MappedFile& file);
  NpyArray(const NpyArray&) = delete;
  NpyArray& operator=(const NpyArray&) = delete;

  /// Elements along each dimension: the last one varies fastest.
  const std::vector<std::int64_t>& shape() const { return shape_; }

  /// All elements, in the type that the file has.
  const Elements& values() const { return values_; }

 private:
  std::vector<std::int64_t> shape_;
  Elements values_;
  std::vector<double> aligned_;  ///< a copy of elements that do not lie aligned in the file
};

/// The bytes before the elements of an array of any shape and of a type in NumPy's notation, "<f4"
/// or "<f8"; the elements follow as they lie in memory, in C order. All shapes of two dimensions
/// have headers of the same length.
std::string npy_header(std::string_view type, const std::vector<std::int64_t>& shape);

/// Writes an array of any shape in C order into a file that was opened before the values were
/// computed; the caller commits it.
void write_npy(const Elements& values, const std::vector<std::int64_t>& shape, OutputFile& file);

}  // namespace bombard
