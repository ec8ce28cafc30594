// A storm as a NumPy array: inputs/storms/storm_npy.hpp. The first byte of an input says what the
// rest is: a whole file, or the elements of an array of P x 2.

#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "inputs/storms/storm_npy.hpp"
#include "tests/fuzz/expectation.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/npy_oracle.hpp"

namespace bombard::fuzz {
namespace {

using Impacts = std::vector<Impact>;

constexpr double largest = 2305843009213693952.0;  // 2^61

std::string file_of(unsigned char mode, std::string_view input) {
  const char* const types[] = {"", "<i4", "<i8", "<f4", "<f8"};
  const unsigned kind = mode % 5;
  if (kind == 0) return std::string(input);
  const std::size_t pairs = input.size() / (kind % 2 == 1 ? 8 : 16);
  const std::string header = std::string("{'descr': '") + types[kind] +
                             "', 'fortran_order': False, 'shape': (" + std::to_string(pairs) +
                             ", 2), }" + std::string(mode / 5, ' ');
  const std::size_t bytes = pairs * (kind % 2 == 1 ? 8 : 16);
  return preamble(1, header.size()) + header + std::string(input.substr(0, bytes));
}

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

Outcome oracle(std::string_view content) {
  const auto array = plain_array(content);
  if (!array || array->shape.size() != 2 || array->shape[1] != 2) return {};
  if (array->type == "<i4") return storm_of<std::int32_t>(*array);
  if (array->type == "<i8") return storm_of<std::int64_t>(*array);
  if (array->type == "<f4") return storm_of<float>(*array);
  return storm_of<double>(*array);
}

void through_a_file(const Impacts& impacts) {
  static const MemoryFile memory;
  bool held_by_doubles = true;
  bool small = true;
  for (const Impact& impact : impacts) {
    const auto number = static_cast<double>(impact.position);
    held_by_doubles = held_by_doubles && static_cast<std::int64_t>(number) == impact.position;
    small = small && std::abs(number + 0.5) < 2147483648.0;
  }
  try {
    write_storm_npy({name, impacts}, memory.emptied());
    expect(small || held_by_doubles, "no digit is lost");
    expect(
        read_storm_npy(MappedFile(name, memory.content()), StormPart::whole(1)).impacts == impacts,
        "what is written is read");
  } catch (const InputError& error) {
    line_of(error, memory.path());
    expect(!small && !held_by_doubles, "what an array can hold is written");
  }
}

void check(std::string_view content, bool long_way) {
  const Outcome expected = oracle(content);
  try {
    const auto impacts = read_storm_npy(MappedFile(name, content), StormPart::whole(1)).impacts;
    expect(expected.impacts == impacts, "the impacts are the array's");
    if (long_way) through_a_file(impacts);
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

}  // namespace
}  // namespace bombard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bombard::fuzz;
  if (size < 1) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  check(file_of(data[0], input), takes_the_long_way(input));
  return 0;
}
