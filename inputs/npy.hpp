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

/// A NumPy array (.npy, versions 1.0 to 3.0) with one to three dimensions, in C order: of
/// little-endian int32, int64, float32 or float64, or of records of such numbers (a structured
/// array). Views its file, which must outlive it. Throws InputError for anything else, including a
/// shape that the file's size contradicts.
class NpyArray {
 public:
  /// A number of each record. `type` is NumPy's name of it; a gap between fields, which has no
  /// name, may have any type.
  struct Field {
    std::string_view name, type;
    std::size_t offset;
  };

  explicit NpyArray(const MappedFile& file);
  NpyArray(const NpyArray&) = delete;
  NpyArray& operator=(const NpyArray&) = delete;

  /// Elements along each dimension: the last one varies fastest.
  const std::vector<std::int64_t>& shape() const { return shape_; }

  /// All elements, in the type that the file has. Throws InputError for records.
  Elements values() const;

  /// Plain numbers are one field without a name.
  const std::vector<Field>& fields() const { return fields_; }
  bool has_records() const { return fields_.size() > 1 || !fields_.front().name.empty(); }
  /// The bytes of a record, and those of all records, perhaps not aligned.
  std::size_t record_size() const { return record_size_; }
  std::string_view bytes() const { return bytes_; }

 private:
  const MappedFile& file_;
  std::vector<Field> fields_;
  std::vector<std::int64_t> shape_;
  std::size_t record_size_ = 0;
  std::string_view bytes_;
  std::vector<double> aligned_;  ///< a copy of numbers that do not lie aligned in the file
};

/// The bytes before the elements of an array of any shape and of a type in NumPy's notation, "<f4"
/// or "<f8"; the elements follow as they lie in memory, in C order. All shapes of two dimensions
/// have headers of the same length.
std::string npy_header(std::string_view type, const std::vector<std::int64_t>& shape);

/// Writes an array of any shape in C order into a file that was opened before the values were
/// computed; the caller commits it.
void write_npy(const Elements& values, const std::vector<std::int64_t>& shape, OutputFile& file);

}  // namespace bombard
