// Storms as NumPy arrays (.npy) of P x 2: positions and energies, integers, or float32 or float64
// of whole numbers within their bounds. Messages name the row, from 0.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <variant>
#include <vector>

#include "bombard/errors.hpp"
#include "inputs/npy.hpp"
#include "inputs/storms/storm_file.hpp"

namespace bombard {

namespace {

template <class T>
bool is_whole_number(T value, std::int64_t lowest, std::int64_t highest) {
  if constexpr (std::is_integral_v<T>) {
    return value >= lowest && value <= highest;
  } else {
    // Every float32 and float64 is exact in double, and so are the bounds.
    const double number = value;
    return std::trunc(number) == number && number >= static_cast<double>(lowest) &&
           number <= static_cast<double>(highest);
  }
}

/// Throws InputError unless the array is P x 2; returns P.
std::int64_t rows_of(const NpyArray& array, const std::string& file) {
  const std::vector<std::int64_t>& shape = array.shape();
  if (shape.size() == 2 && shape[1] == 2) return shape[0];
  throw InputError(fmt::format("{}: this array is {}; a storm is P x 2: positions and energies",
                               file, shape_text(shape)));
}

std::int64_t announced_in_array(const InputFile& file) {
  return rows_of(NpyArray(file), file.name());
}

std::vector<Impact> read_array(const InputFile& file, std::int64_t rows) {
  const NpyArray array(file);
  std::vector<Impact> impacts;
  impacts.reserve(static_cast<std::size_t>(rows));
  const auto read = [&]<class T>(std::span<const T> values) {
    const auto integer = [&](std::int64_t row, int column, const char* name, std::int64_t lowest,
                             std::int64_t highest) {
      const T value = values[2 * row + column];
      if (is_whole_number(value, lowest, highest)) return static_cast<std::int64_t>(value);
      throw InputError(fmt::format("{}: row {}: {} {} is not a whole number from {} to {}",
                                   file.name(), row, name, value, lowest, highest));
    };
    using Energy = std::numeric_limits<std::int32_t>;
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t position =
          integer(row, 0, "position", -largest_position, largest_position);
      const std::int64_t energy = integer(row, 1, "energy", Energy::min(), Energy::max());
      impacts.push_back({position, static_cast<std::int32_t>(energy)});
    }
  };
  std::visit(read, array.values());
  return impacts;
}

/// int32 if all positions fit, else int64.
void write_as_array(std::span<const Impact> impacts, OutputFile& file) {
  const auto write_as = [&]<class T>(std::vector<T> elements) {
    elements.reserve(2 * impacts.size());
    for (const Impact& impact : impacts) {
      elements.push_back(static_cast<T>(impact.position));
      elements.push_back(static_cast<T>(impact.energy));
    }
    write_npy(elements, {std::ssize(impacts), 2}, file);
  };
  const auto fits = [](std::int64_t p) { return p == static_cast<std::int32_t>(p); };
  if (std::ranges::all_of(impacts, fits, &Impact::position)) {
    write_as(std::vector<std::int32_t>());
  } else {
    write_as(std::vector<std::int64_t>());
  }
}

}  // namespace

extern constinit const StormFormat storm_npy{"npy", is_npy, announced_in_array, read_array,
                                             write_as_array};

}  // namespace bombard
