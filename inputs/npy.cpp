#include "inputs/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string_view>
#include <tuple>

#include "bombard/errors.hpp"
#include "inputs/byte_count.hpp"
#include "inputs/token.hpp"

namespace bombard {

static_assert(std::endian::native == std::endian::little,
              "values are written and read as they lie in memory");

namespace {

// The format: numpy.org/doc/stable/reference/generated/numpy.lib.format.html. Six bytes of magic,
// two of version, two (from version 2.0 on four) of the header's length, the header: a Python
// dictionary of descr, fortran_order and shape.
constexpr std::string_view magic = "\x93NUMPY";

/// The type and the shape in the dictionary of a header, as NumPy writes it.
std::pair<std::string_view, std::vector<std::int64_t>> read_header(std::string_view text,
                                                                   const std::string& name) {
  const auto fail = [&](const std::string& problem) {
    throw InputError(
        fmt::format("{}: the header of this .npy file {}; arrays of numbers are "
                    "read, as numpy.save(FILE, numpy.array(VALUES)) writes them",
                    name, problem));
  };
  const auto value_of = [&](std::string_view key, char behind) {
    const std::string_view from_key = text.substr(std::min(text.find(key), text.size()));
    const std::size_t end = from_key.find(behind, key.size());
    if (end == std::string_view::npos) fail(fmt::format("lacks {}", in_quotes(key)));
    return from_key.substr(key.size(), end - key.size());
  };
  const std::string_view type = value_of("'descr': '", '\'');
  const std::string_view order = value_of("'fortran_order': ", ',');
  std::string_view rest = value_of("'shape': (", ')');
  std::vector<std::int64_t> shape;
  while (!rest.empty()) {
    std::string_view number = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(number.size() + 1, rest.size()));
    if (number.starts_with(' ')) number.remove_prefix(1);
    const auto size = number_of<std::int64_t>(number);
    if (!size || number.starts_with('-')) fail(fmt::format("has the size {}", in_quotes(number)));
    shape.push_back(*size);
  }
  if (order != "False" && shape.size() > 1) {
    throw InputError(name +
                     ": this .npy array is in Fortran order; save numpy.ascontiguousarray(a)");
  }
  return {type, shape};
}

/// The header and where the elements begin.
std::pair<std::string_view, std::size_t> header_of(std::string_view content,
                                                   const std::string& name) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(content[i]));
  };
  constexpr std::size_t longest_preamble = 12;
  if (!content.starts_with(magic) || content.size() < longest_preamble) {
    throw InputError(
        fmt::format("{}: is not a .npy file: it must begin with \\x93NUMPY, a version "
                    "and the length of its header",
                    name));
  }
  if (const std::size_t version = byte(magic.size()); version < 1 || version > 3) {
    throw InputError(fmt::format("{}: is a .npy file of version {}.{}; 1.0 to 3.0 are read", name,
                                 version, byte(magic.size() + 1)));
  }
  const std::size_t preamble = byte(magic.size()) > 1 ? longest_preamble : 10;
  std::size_t length = byte(8) | byte(9) << 8;
  if (preamble == longest_preamble) length |= byte(10) << 16 | byte(11) << 24;
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

[[noreturn]] void fail(const InputFile& file, const std::string& problem) {
  throw InputError(fmt::format("{}: this .npy array {}", file.name(), problem));
}

}  // namespace

bool is_npy(const InputFile& file) {
  return file.content().starts_with(magic);
}

std::string shape_text(std::span<const std::int64_t> shape) {
  return fmt::to_string(fmt::join(shape, " x "));
}

NpyArray::NpyArray(const InputFile& file) {
  const auto [text, begin] = header_of(file.content(), file.name());
  std::string_view type;
  std::tie(type, shape_) = read_header(text, file.name());
  if (shape_.empty() || shape_.size() > 3) {
    fail(file, fmt::format("has {} dimensions; arrays of 1 to 3 are read", shape_.size()));
  }
  const std::string_view bytes = file.content().substr(begin);
  const auto take = [&]<class T>(T) {
    const auto size = [&](std::size_t d) { return d < shape_.size() ? shape_[d] : 1; };
    if (byte_count({size(0), size(1), size(2), sizeof(T)}) != std::ssize(bytes)) {
      fail(file, fmt::format("is {} of {} bytes each, but {} bytes follow its header: the file is "
                             "damaged",
                             shape_text(shape_), sizeof(T), bytes.size()));
    }
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % sizeof(T) != 0) {
      fail(file, "does not begin at a multiple of 16 bytes, as the format says; save it by NumPy");
    }
    values_ = std::span(reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T));
  };
  constexpr std::variant<std::int32_t, std::int64_t, float, double> one_of[] = {
      std::int32_t{}, std::int64_t{}, float{}, double{}};
  const std::size_t index = std::ranges::find(types, type) - types;
  if (index == std::size(types)) {
    fail(file, fmt::format("has elements of type {}; little-endian int32 (<i4), int64 (<i8), "
                           "float32 (<f4) and float64 (<f8) are read: save a.astype(\"<f8\"), for "
                           "example",
                           in_quotes(type)));
  }
  std::visit(take, one_of[index]);
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
