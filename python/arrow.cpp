// Tables of other libraries, through Arrow's C stream interface.

#include <pybind11/pybind11.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bombard/errors.hpp"
#include "python/arrays.hpp"
#include "python/parts.hpp"

namespace py = pybind11;

// These three structures are from https://arrow.apache.org/docs/format/CStreamInterface.html
extern "C" {
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};
}

namespace bombard::python {

namespace {

/// One of these structures, released by the destructor.
template <class Structure>
struct Held : Structure {
  Held() : Structure{} {}
  ~Held() {
    if (this->release != nullptr) this->release(this);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
};

/// The type of a column's values as NumPy names it.
const char* type_of(const ArrowSchema& column) {
  const std::string_view formats = "cCsSiIlLfg";
  const char* const types[] = {"i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"};
  const std::string_view format = column.format;
  const std::size_t at = format.size() == 1 ? formats.find(format) : std::string_view::npos;
  if (at == std::string_view::npos || column.dictionary != nullptr) {
    throw InputError("the column " + std::string(column.name) +
                     " does not hold plain numbers; its type in Arrow is \"" + std::string(format) +
                     "\"");
  }
  return types[at];
}

/// Whether one of these values is missing: its bit is 0.
bool has_nulls(const ArrowArray& array, std::int64_t begin, std::int64_t length) {
  const auto* const bits = static_cast<const unsigned char*>(array.buffers[0]);
  if (array.null_count == 0 || bits == nullptr) return false;
  for (std::int64_t i = begin; i < begin + length; ++i) {
    if ((bits[i / 8] >> i % 8 & 1) == 0) return true;
  }
  return false;
}

/// Appends the values of a part of a column.
void append(const ArrowSchema& column, const ArrowArray& array, std::int64_t offset,
            std::int64_t length, std::vector<char>& all) {
  const std::int64_t bytes = type_of(column)[1] - '0';  // other types have other buffers
  const std::int64_t begin = array.offset + offset;
  if (has_nulls(array, begin, length)) {
    throw InputError("the column " + std::string(column.name) +
                     " has nulls; drop or fill their rows");
  }
  const auto* const values = static_cast<const char*>(array.buffers[1]);
  if (length > 0) all.insert(all.end(), values + begin * bytes, values + (begin + length) * bytes);
}

/// The columns of a table, with all its parts joined: pairs of a type and the values, by column
/// name.
py::dict columns_of(const py::capsule& capsule) {
  auto* const stream = capsule.get_pointer<ArrowArrayStream>();
  const auto check = [&](int error) {
    if (error == 0) return;
    const char* const why = stream->get_last_error(stream);
    throw InputError(std::string("reading a table failed: ") + (why == nullptr ? "" : why));
  };
  Held<ArrowSchema> schema;
  check(stream->get_schema(stream, &schema));
  if (std::string_view(schema.format) != "+s") {
    throw InputError("a single column of Arrow is not a storm; give a table of two");
  }
  std::vector<std::vector<char>> columns(static_cast<std::size_t>(schema.n_children));
  while (true) {
    Held<ArrowArray> part;
    check(stream->get_next(stream, &part));
    if (part.release == nullptr) break;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      append(*schema.children[i], *part.children[i], part.offset, part.length, columns[i]);
    }
  }
  py::dict all;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const ArrowSchema& column = *schema.children[i];
    all[py::str(column.name)] = py::make_tuple(type_of(column), memory_of(std::move(columns[i])));
  }
  return all;
}

}  // namespace

void add_tables(py::module_& module) {
  module.def("columns_of_arrow", &columns_of);
}

}  // namespace bombard::python
