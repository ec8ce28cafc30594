// NumPy's arrays, and storms as such: inputs/npy.hpp and inputs/storms/storm_npy.cpp. The first
// byte of an input says what the rest is: a whole file; a header, which gets a right preamble, a
// line feed that is left out, and the elements; or the elements of an array of P x 2.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <regex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "inputs/npy.hpp"
#include "inputs/storms/storm_file.hpp"
#include "tests/fuzz/plain_tokens.hpp"
#include "tests/fuzz/target.hpp"

namespace bombard::fuzz::npy_fuzz {
namespace {

/// A .npy file taken apart.
struct PlainArray {
  std::string type;
  std::vector<std::int64_t> shape;
  std::string_view elements;  ///< their bytes
};

/// The dictionary of a header and the bytes behind it.
Verdict<PlainArray> array_of(std::string_view header, std::string_view elements) {
  static const Verdict<PlainArray> wrong{{}, {0}};
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
  if (!take(opening)) return wrong;
  for (bool closed = take(closing); !closed; closed = found[6] != "," || take(closing)) {
    if (!take(item)) return wrong;
    for (const auto& [value, group] : {std::pair(&type, 3), {&order, 4}, {&sizes, 5}}) {
      if (!found[group].matched) continue;
      if (*value) return wrong;
      *value = found[group];
    }
  }
  if (!std::all_of(at, end, is_space) || !type || !order || !sizes) return wrong;
  PlainArray array{*type, {}, elements};
  long double bytes = type->back() - '0';  // exact where it is as small as a file
  for (std::sregex_iterator size(sizes->begin(), sizes->end(), number), none; size != none;
       ++size) {
    const auto value = integer_within(size->str(), 0, 9223372036854775807LL);
    if (!value) return wrong;
    array.shape.push_back(*value);
    bytes *= *value;
  }
  const std::size_t dimensions = array.shape.size();
  if (dimensions < 1 || dimensions > 3 || (*order == "True" && dimensions > 1)) return wrong;
  if (bytes != elements.size()) return wrong;
  return {array};
}

Verdict<PlainArray> oracle(std::string_view file) {
  const auto byte = [&](std::size_t i) {
    return i < file.size() ? static_cast<std::size_t>(static_cast<unsigned char>(file[i])) : 0;
  };
  const std::size_t begin = byte(6) == 1 ? 10 : 12;
  std::size_t length = byte(8) + 256 * byte(9);
  if (begin == 12) length += 65536 * byte(10) + 16777216 * byte(11);
  const bool right = file.starts_with("\x93NUMPY") && byte(6) >= 1 && byte(6) <= 3 &&
                     begin + length <= file.size();
  if (!right) return {{}, {0}};
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
  const std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}, 2), }}{}", type, pairs,
                  std::string(blanks, ' '));
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

void check_array(const MappedFile& file, const Verdict<PlainArray>& expected) {
  std::unique_ptr<NpyArray> array;
  const auto read = read_as(expected, [&] {
    array = std::make_unique<NpyArray>(file);
    return array->values();
  });
  if (!read) return;
  expect(array->shape() == expected.value.shape, "the shape is the header's");
  const Elements& all = *read;
  expect(types[all.index()] == expected.value.type, "the type is the header's");
  const auto bytes = std::visit([](auto elements) { return std::as_bytes(elements); }, all);
  expect(std::ranges::equal(bytes, std::as_bytes(std::span(expected.value.elements))),
         "the elements are the file's");
}

/// Element i; a long double holds all numbers of each type exactly.
long double element_of(const PlainArray& array, std::int64_t i) {
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

Verdict<std::vector<Impact>> storm_oracle(const Verdict<PlainArray>& file) {
  const PlainArray& array = file.value;
  if (!file.error_lines.empty() || array.shape.size() != 2 || array.shape[1] != 2) {
    return {{}, {0}};
  }
  constexpr double farthest = 2305843009213693952.0;  // 2^61
  std::vector<Impact> impacts;
  for (std::int64_t row = 0; row < array.shape[0]; ++row) {
    const long double position = element_of(array, 2 * row);
    const long double energy = element_of(array, 2 * row + 1);
    if (!is_whole(position, -farthest, farthest) ||
        !is_whole(energy, -2147483648.0, 2147483647.0)) {
      return {{}, {row + 1}};
    }
    impacts.push_back({static_cast<std::int64_t>(position), static_cast<std::int32_t>(energy)});
  }
  return {impacts};
}

void check(std::string_view input) {
  if (input.empty()) return;
  const std::string content = file_of(static_cast<unsigned char>(input[0]), input.substr(1));
  const MappedFile file(name, content);
  const Verdict<PlainArray> array = oracle(content);
  check_array(file, array);
  if (content.find("[(") != std::string::npos) return;  // perhaps a storm of records
  const auto storm = storm_oracle(array);
  const auto impacts =
      read_as(storm, [&] { return storm_npy.read(file, storm_npy.announced(file)); });
  expect(!impacts || *impacts == storm.value, "the impacts are the array's");
}

const Registered target{Target{"npy", check}};

}  // namespace
}  // namespace bombard::fuzz::npy_fuzz
