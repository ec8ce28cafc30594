// NumPy's arrays, and storms as such: inputs/npy.hpp and inputs/storms/storm_npy.cpp. The first
// byte of an input says what the rest is: a whole file; a header, which gets a right preamble, a
// line feed that is left out, and the elements; or the elements of an array of P x 2.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "inputs/npy.hpp"
#include "inputs/storms/storm_file.hpp"
#include "tests/fuzz/plain_tokens.hpp"
#include "tests/fuzz/target.hpp"

namespace bombard::fuzz {
namespace {

/// A .npy file taken apart.
struct PlainArray {
  std::string type;
  std::vector<std::int64_t> shape;
  std::string_view elements;  ///< their bytes

  std::size_t element_size() const { return static_cast<std::size_t>(type[2] - '0'); }
};

/// Whether elements of `element` bytes in this shape take `bytes`.
bool takes(const std::vector<std::int64_t>& shape, std::size_t element, std::size_t bytes) {
  __extension__ using Wide = __int128;
  Wide product = static_cast<Wide>(element);
  for (const std::int64_t size : shape) product = std::min(product * size, Wide{1} << 62);
  return product == static_cast<Wide>(bytes);
}

/// The dictionary of a header and the bytes behind it; nothing where it is not one that is read.
std::optional<PlainArray> array_of(std::string_view header, std::string_view elements) {
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
std::optional<PlainArray> plain_array(std::string_view file) {
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
std::string preamble(int version, std::size_t length) {
  std::string bytes = "\x93NUMPY";
  bytes += {static_cast<char>(version), 0, static_cast<char>(length % 256),
            static_cast<char>(length / 256 % 256)};
  if (version > 1) bytes += {static_cast<char>(length / 65536), 0};
  return bytes;
}

constexpr const char* types[] = {"<i4", "<i8", "<f4", "<f8"};

std::string pairs_of(const char* type, std::size_t bytes_of_pair, std::string_view input,
                     std::size_t blanks) {
  const std::size_t pairs = input.size() / bytes_of_pair;
  const std::string header = std::string("{'descr': '") + type +
                             "', 'fortran_order': False, 'shape': (" + std::to_string(pairs) +
                             ", 2), }" + std::string(blanks, ' ');
  return preamble(1, header.size()) + header + std::string(input.substr(0, pairs * bytes_of_pair));
}

std::string file_of(unsigned char mode, std::string_view input) {
  const int kind = mode % 8;
  if (kind == 0) return std::string(input);
  if (kind > 3) return pairs_of(types[kind - 4], kind % 2 == 0 ? 8 : 16, input, mode / 8);
  const std::size_t header = std::min(input.find('\n'), input.size());
  const std::string_view elements = input.substr(std::min(header + 1, input.size()));
  return preamble(kind, header).append(input.substr(0, header)).append(elements);
}

void check_array(std::string_view content) {
  const auto expected = plain_array(content);
  const MappedFile file(name, content);
  try {
    const NpyArray array(file);
    expect(expected.has_value(), "what is accepted is an array");
    expect(array.shape() == expected->shape, "the shape is the header's");
    expect(shape_text(array.shape()) == fmt::to_string(fmt::join(expected->shape, " x ")),
           "the shape is shown");
    expect(expected->type == types[array.values().index()], "the type is the header's");
    std::visit(
        [&](auto elements) {
          expect(elements.size_bytes() == expected->elements.size(), "all elements are there");
          expect(elements.empty() || std::memcmp(elements.data(), expected->elements.data(),
                                                 elements.size_bytes()) == 0,
                 "the elements are the file's");
        },
        array.values());
  } catch (const InputError& error) {
    expect(!expected, "an array is accepted");
    line_of(error);
  }
}

using Impacts = std::vector<Impact>;

constexpr double largest = 2305843009213693952.0;  // 2^61

/// The impacts, or the row of the first that is none; neither where the array is no storm.
struct Outcome {
  std::optional<Impacts> impacts;
  std::optional<std::size_t> row;
};

/// Element i; a long double holds all numbers of each type exactly.
long double element_of(const PlainArray& array, std::size_t i) {
  const auto as = [&]<class T>(T value) {
    std::memcpy(&value, array.elements.data() + i * sizeof value, sizeof value);
    return static_cast<long double>(value);
  };
  if (array.type == "<i4") return as(std::int32_t{});
  if (array.type == "<i8") return as(std::int64_t{});
  return array.type == "<f4" ? as(float{}) : as(double{});
}

bool is_whole(long double number, double lowest, double highest) {
  return number >= lowest && number <= highest && std::floor(number) == number;
}

Outcome storm_oracle(std::string_view content) {
  const auto array = plain_array(content);
  if (!array || array->shape.size() != 2 || array->shape[1] != 2) return {};
  Impacts impacts;
  for (std::size_t row = 0; row < static_cast<std::size_t>(array->shape[0]); ++row) {
    const long double position = element_of(*array, 2 * row);
    const long double energy = element_of(*array, 2 * row + 1);
    if (!is_whole(position, -largest, largest) || !is_whole(energy, -2147483648.0, 2147483647.0)) {
      return {{}, row};
    }
    impacts.push_back({static_cast<std::int64_t>(position), static_cast<std::int32_t>(energy)});
  }
  return {impacts, {}};
}

void check_storm(std::string_view content) {
  const Outcome expected = storm_oracle(content);
  try {
    const MappedFile file(name, content);
    const auto impacts = storm_npy.read(file, storm_npy.announced(file));
    expect(expected.impacts == impacts, "the impacts are the array's");
  } catch (const InputError& error) {
    expect(!expected.impacts, "a storm is accepted");
    line_of(error);
    if (expected.row) {
      expect(std::string(error.what()).find(": row " + std::to_string(*expected.row) + ": ") !=
                 std::string::npos,
             "an error names the first wrong row");
    }
  }
}

void check(std::string_view input) {
  if (input.empty()) return;
  const std::string content = file_of(static_cast<unsigned char>(input[0]), input.substr(1));
  check_array(content);
  check_storm(content);
}

const Registered target{Target{"npy", check}};

}  // namespace
}  // namespace bombard::fuzz
