#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/fuzz/plain_tokens.hpp"

// The format of NumPy's arrays, for the oracle.
namespace bombard::fuzz {

/// A .npy file taken apart.
struct PlainArray {
  std::string type;
  std::vector<std::int64_t> shape;
  std::string_view elements;  ///< their bytes

  std::size_t element_size() const { return static_cast<std::size_t>(type[2] - '0'); }
};

/// Whether elements of `element` bytes in this shape take `bytes`.
inline bool takes(const std::vector<std::int64_t>& shape, std::size_t element, std::size_t bytes) {
  for (const std::int64_t size : shape) {
    if (size == 0) return bytes == 0;
  }
  __int128 product = static_cast<__int128>(element);
  for (const std::int64_t size : shape) {
    if (product > static_cast<__int128>(bytes)) return false;
    product *= size;
  }
  return product == static_cast<__int128>(bytes);
}

/// The dictionary of a header and the bytes behind it; nothing where it is not one that is read.
inline std::optional<PlainArray> array_of(std::string_view header, std::string_view elements) {
  static const std::regex item(
      R"x(\s*(['"])(?:descr\1\s*:\s*(['"])(<[if][48])\2|fortran_order\1\s*:\s*(True|False)|)x"
      R"x(shape\1\s*:\s*\(((?:\s*\d+\s*,)*\s*(?:\d+\s*)?)\))\s*(,|\}))x");
  static const std::regex opening(R"(\s*\{)"), closing(R"(\s*\})"), number(R"(\d+)");
  const char* at = header.data();
  const char* const end = at + header.size();
  std::cmatch found;
  const auto take = [&](const std::regex& what) {
    if (!std::regex_search(at, end, found, what, std::regex_constants::match_continuous))
      return false;
    at = found[0].second;
    return true;
  };
  std::optional<std::string> type, order, sizes;
  if (!take(opening)) return {};
  for (bool closed = take(closing); !closed; closed = found[6] != "," || take(closing)) {
    if (!take(item)) return {};
    for (const auto& [value, group] : {std::pair(&type, 3), {&order, 4}, {&sizes, 5}}) {
      if (!found[group].matched) continue;
      if (*value) return {};
      *value = found[group];
    }
  }
  if (!std::all_of(at, end, is_space) || !type || !order || !sizes) return {};
  PlainArray array{*type, {}, elements};
  for (std::sregex_iterator size(sizes->begin(), sizes->end(), number), none; size != none;
       ++size) {
    const auto value = integer_within(size->str(), 0, 9223372036854775807LL);
    if (!value) return {};
    array.shape.push_back(*value);
  }
  const std::size_t dimensions = array.shape.size();
  if (dimensions < 1 || dimensions > 3 || (*order == "True" && dimensions > 1)) return {};
  if (!takes(array.shape, array.element_size(), elements.size())) return {};
  return array;
}

/// A file; nothing where it is not an array that is read.
inline std::optional<PlainArray> plain_array(std::string_view file) {
  if (file.substr(0, 6) != "\x93NUMPY" || file.size() < 10) return {};
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(file[i]));
  };
  if (byte(6) < 1 || byte(6) > 3) return {};
  const std::size_t begin = byte(6) == 1 ? 10 : 12;
  if (file.size() < begin) return {};
  std::size_t length = byte(8) + 256 * byte(9);
  if (begin == 12) length += 65536 * byte(10) + 16777216 * byte(11);
  if (length > file.size() - begin) return {};
  return array_of(file.substr(begin, length), file.substr(begin + length));
}

/// The bytes before a header of this length, in version 1 to 3.
inline std::string preamble(int version, std::size_t length) {
  std::string bytes = "\x93NUMPY";
  bytes += {static_cast<char>(version), 0, static_cast<char>(length % 256),
            static_cast<char>(length / 256 % 256)};
  if (version > 1) bytes += {static_cast<char>(length / 65536), 0};
  return bytes;
}

}  // namespace bombard::fuzz
