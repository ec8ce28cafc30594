#include "inputs/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "bombard/errors.hpp"
#include "inputs/byte_count.hpp"
#include "inputs/token.hpp"
#include "kernels/base/host_memory.hpp"

namespace bombard {

static_assert(std::endian::native == std::endian::little,
              "values are written and read as they lie in memory");

namespace {

// The format: numpy.org/doc/stable/reference/generated/numpy.lib.format.html. Six bytes of magic,
// two of version, two (from version 2.0 on four) of the header's length, the header: a Python
// dictionary of descr, fortran_order and shape.
constexpr std::string_view magic = "\x93NUMPY";

/// Takes a header apart.
class HeaderParser {
 public:
  std::vector<NpyArray::Field> fields;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::int64_t>> shape;

  HeaderParser(std::string_view header, const std::string& name) : rest_(header), name_(name) {
    items('{', '}', [&] {
      const std::string_view key = text();
      expect(':');
      if (key == "descr" && fields.empty()) {
        take_fields();
      } else if (key == "fortran_order" && !fortran_order) {
        fortran_order = boolean();
      } else if (key == "shape" && !shape) {
        shape.emplace();
        items('(', ')', [&] { shape->push_back(dimension()); });
      } else {
        fail(fmt::format("has {} where descr, fortran_order or shape must be", quoted(key)));
      }
    });
    skip_white();
    if (!rest_.empty()) fail(fmt::format("has {} after the end", quoted(rest_)));
    if (fields.empty() || !fortran_order || !shape) fail("lacks descr, fortran_order or shape");
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw InputError(
        fmt::format("{}: the header of this .npy file {}; arrays of numbers are "
                    "read, as numpy.save(FILE, numpy.array(VALUES)) writes them",
                    name_, problem));
  }
  [[noreturn]] void fail_for(const std::string& what) const {
    fail(fmt::format("has {} where {} must be", quoted(first_token(rest_)), what));
  }
  void skip_white() {
    while (!rest_.empty() && is_white(rest_.front())) rest_.remove_prefix(1);
  }
  bool next_is(char c) {
    skip_white();
    return rest_.starts_with(c);
  }
  bool accept(char c) {
    if (!next_is(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail_for(fmt::format("'{}'", c));
  }
  /// Items with a comma between them, and perhaps one behind the last.
  template <class Item>
  void items(char opening, char closing, const Item& take_item) {
    expect(opening);
    while (!accept(closing)) {
      take_item();
      if (accept(',')) continue;
      expect(closing);
      return;
    }
  }
  /// 'TYPE', or of records [('NAME', 'TYPE'), ...].
  void take_fields() {
    if (!next_is('[')) {
      fields.push_back({"", text(), 0});
      return;
    }
    items('[', ']', [&] {
      expect('(');
      const std::string_view name = text();
      expect(',');
      fields.push_back({name, text(), 0});
      expect(')');
    });
  }
  std::string_view text() {
    skip_white();
    const char quote = rest_.empty() ? '\0' : rest_.front();
    const std::size_t length = rest_.find(quote, 1);
    if ((quote != '\'' && quote != '"') || length == std::string_view::npos) {
      fail_for("a text in quotes");
    }
    const std::string_view found = rest_.substr(1, length - 1);
    rest_.remove_prefix(length + 1);
    return found;
  }
  bool boolean() {
    skip_white();
    const bool value = rest_.starts_with("True");
    if (!value && !rest_.starts_with("False")) fail_for("True or False");
    rest_.remove_prefix(value ? 4 : 5);
    return value;
  }
  std::int64_t dimension() {
    skip_white();
    std::int64_t size = 0;
    const auto [stop, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
    // -0 is not a dimension, either.
    if (error != std::errc{} || rest_.front() == '-') fail_for("a dimension");
    rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
    return size;
  }

  std::string_view rest_;
  const std::string& name_;
};

/// The header and where the elements begin.
std::pair<std::string_view, std::size_t> header_of(std::string_view content,
                                                   const std::string& name) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(content[i]));
  };
  const std::size_t preamble = content.size() > magic.size() && byte(magic.size()) > 1 ? 12 : 10;
  if (!content.starts_with(magic) || content.size() < preamble) {
    throw InputError(
        fmt::format("{}: is not a .npy file: it must begin with \\x93NUMPY, a version "
                    "and the length of its header",
                    name));
  }
  if (const std::size_t version = byte(magic.size()); version < 1 || version > 3) {
    throw InputError(fmt::format("{}: is a .npy file of version {}.{}; 1.0 to 3.0 are read", name,
                                 version, byte(magic.size() + 1)));
  }
  std::size_t length = byte(8) | byte(9) << 8;
  if (preamble == 12) length |= byte(10) << 16 | byte(11) << 24;
  if (length > content.size() - preamble) {
    throw InputError(
        fmt::format("{}: the header of this .npy file takes {} bytes but only {} are left: the "
                    "file is truncated",
                    name, length, content.size() - preamble));
  }
  return {content.substr(preamble, length), preamble + length};
}

/// NumPy's names of the types in Elements, in their order.
constexpr std::string_view types[] = {"<i4", "<i8", "<f4", "<f8"};

/// The size of a type in bytes, from its name.
std::int64_t size_of(std::string_view type) {
  const std::size_t digits = std::min(type.find_first_of("0123456789"), type.size());
  return number_of<std::uint32_t>(type.substr(digits)).value_or(0);
}

[[noreturn]] void fail(const MappedFile& file, const std::string& problem) {
  throw InputError(fmt::format("{}: this .npy array {}", file.name(), problem));
}

}  // namespace

bool is_npy(const MappedFile& file) {
  return file.content().starts_with(magic);
}

std::string shape_text(std::span<const std::int64_t> shape) {
  return fmt::to_string(fmt::join(shape, " x "));
}

NpyArray::NpyArray(const MappedFile& file) : file_(file) {
  const auto [text, begin] = header_of(file.content(), file.name());
  HeaderParser header(text, file.name());
  fields_ = std::move(header.fields);
  shape_ = *std::move(header.shape);
  bytes_ = file.content().substr(begin);
  if (shape_.empty() || shape_.size() > 3) {
    fail(file, fmt::format("has {} dimensions; arrays of 1 to 3 are read", shape_.size()));
  }
  if (*header.fortran_order && shape_.size() > 1) {
    fail(file, "is in Fortran order; save numpy.ascontiguousarray(a)");
  }
  for (Field& field : fields_) {
    const bool gap = has_records() && field.name.empty();
    if (!gap && std::ranges::find(types, field.type) == std::end(types)) {
      fail(file, fmt::format("has elements of type {}; little-endian int32 (<i4), int64 (<i8), "
                             "float32 (<f4) and float64 (<f8) are read: save a.astype(\"<f8\"), "
                             "for example",
                             quoted(field.type)));
    }
    field.offset = record_size_;
    record_size_ += static_cast<std::size_t>(size_of(field.type));
  }
  const auto size = [&](std::size_t d) { return d < shape_.size() ? shape_[d] : 1; };
  if (byte_count({size(0), size(1), size(2), static_cast<std::int64_t>(record_size_)}) !=
      std::ssize(bytes_)) {
    fail(file,
         fmt::format("is {} of {} bytes each, but {} bytes follow its header: the file is damaged",
                     shape_text(shape_), record_size_, bytes_.size()));
  }
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(bytes_.data()) % record_size_ == 0;
  if (has_records() || bytes_.empty() || is_aligned) return;
  require_host_memory(std::ssize(bytes_), file.name());
  aligned_.resize((bytes_.size() + sizeof(double) - 1) / sizeof(double));
  std::memcpy(aligned_.data(), bytes_.data(), bytes_.size());
  bytes_ = {reinterpret_cast<const char*>(aligned_.data()), bytes_.size()};
}

Elements NpyArray::values() const {
  if (has_records()) {
    fail(file_,
         "has records of named fields; save one of the fields, a[NAME], or all as rows of an "
         "array of two dimensions");
  }
  return with_npy_type(fields_.front().type, [&]<class T>(T) -> Elements {
    return std::span(reinterpret_cast<const T*>(bytes_.data()), bytes_.size() / sizeof(T));
  });
}

std::string npy_header(std::string_view type, const std::vector<std::int64_t>& shape) {
  // The header and what comes before it together are a multiple of 64 bytes.
  constexpr std::size_t preamble = 10;
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                   type, fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  header.resize((preamble + header.size() + 1 + 63) / 64 * 64 - preamble - 1, ' ');
  header += '\n';
  const char version_and_length[] = {1, 0, static_cast<char>(header.size() & 0xFF),
                                     static_cast<char>(header.size() >> 8)};
  return fmt::format("{}{}{}", magic, std::string_view(version_and_length, 4), header);
}

void write_npy(const Elements& values, const std::vector<std::int64_t>& shape, OutputFile& file) {
  file.write(npy_header(types[values.index()], shape));
  std::visit(
      [&](auto elements) {
        file.write({reinterpret_cast<const char*>(elements.data()), elements.size_bytes()});
      },
      values);
}

}  // namespace bombard
