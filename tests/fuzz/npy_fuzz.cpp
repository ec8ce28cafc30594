// NumPy's arrays, and storms as such: inputs/npy.hpp and inputs/storms/storm_npy.hpp. The first
// byte of an input says what the rest is: a whole file; a header, which gets a right preamble, a
// line feed that is left out, and the elements; or the elements of an array of P x 2.

#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "inputs/npy.hpp"
#include "inputs/storms/storm_npy.hpp"
#include "tests/fuzz/expectation.hpp"
#include "tests/fuzz/npy_oracle.hpp"
#include "tests/fuzz/target.hpp"

namespace bombard::fuzz {
namespace {

template <class T>
constexpr const char* type_code = std::is_same_v<T, std::int32_t>   ? "<i4"
                                  : std::is_same_v<T, std::int64_t> ? "<i8"
                                  : std::is_same_v<T, float>        ? "<f4"
                                                                    : "<f8";

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
  const char* const types[] = {"<i4", "<i8", "<f4", "<f8"};
  if (kind > 3) return pairs_of(types[kind - 4], kind % 2 == 0 ? 8 : 16, input, mode / 8);
  const std::size_t header = std::min(input.find('\n'), input.size());
  const std::string_view elements = input.substr(std::min(header + 1, input.size()));
  return preamble(kind, header).append(input.substr(0, header)).append(elements);
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t size : shape) text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text;
}

void check_array(std::string_view content) {
  const auto expected = plain_array(content);
  const MappedFile file(name, content);
  try {
    const NpyArray array(file);
    expect(expected.has_value(), "what is accepted is an array");
    expect(array.shape() == expected->shape, "the shape is the header's");
    expect(array.shape_text() == shape_text(expected->shape), "the shape is shown");
    std::visit(
        [&]<class T>(std::span<const T> elements) {
          expect(expected->type == type_code<T>, "the type is the header's");
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

/// Element i as T; nothing where it is no whole number from -bound to `highest`.
template <class T>
std::optional<std::int64_t> whole(const PlainArray& array, std::size_t i, double bound,
                                  double highest) {
  T value;
  std::memcpy(&value, array.elements.data() + i * sizeof value, sizeof value);
  const long double number = static_cast<long double>(value);  // holds all of each type exactly
  if (!(number >= -bound && number <= highest) || std::floor(number) != number) return {};
  return static_cast<std::int64_t>(number);
}

template <class T>
Outcome storm_of(const PlainArray& array) {
  Impacts impacts;
  for (std::size_t row = 0; row < static_cast<std::size_t>(array.shape[0]); ++row) {
    const auto position = whole<T>(array, 2 * row, largest, largest);
    const auto energy = whole<T>(array, 2 * row + 1, 2147483648.0, 2147483647.0);
    if (!position || !energy) return {{}, row};
    impacts.push_back({*position, static_cast<std::int32_t>(*energy)});
  }
  return {impacts, {}};
}

Outcome storm_oracle(std::string_view content) {
  const auto array = plain_array(content);
  if (!array || array->shape.size() != 2 || array->shape[1] != 2) return {};
  if (array->type == "<i4") return storm_of<std::int32_t>(*array);
  if (array->type == "<i8") return storm_of<std::int64_t>(*array);
  if (array->type == "<f4") return storm_of<float>(*array);
  return storm_of<double>(*array);
}

void check_storm(std::string_view content) {
  const Outcome expected = storm_oracle(content);
  try {
    const auto impacts = read_storm_npy(MappedFile(name, content));
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
