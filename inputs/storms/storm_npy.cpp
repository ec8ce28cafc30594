#include "inputs/storms/storm_npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "bombard/errors.hpp"
#include "inputs/byte_count.hpp"
#include "inputs/npy.hpp"
#include "kernels/base/host_memory.hpp"

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

}  // namespace

std::vector<Impact> read_storm_npy(const MappedFile& file) {
  const NpyArray array(file);
  const std::vector<std::int64_t>& shape = array.shape();
  if (shape.size() != 2 || shape[1] != 2) {
    throw InputError(fmt::format("{}: this array is {}; a storm is P x 2: positions and energies",
                                 file.name(), array.shape_text()));
  }
  require_host_memory(byte_count({shape[0], sizeof(Impact)}), file.name());
  std::vector<Impact> impacts;
  impacts.reserve(static_cast<std::size_t>(shape[0]));
  std::visit(
      [&]<class T>(std::span<const T> elements) {
        const auto integer = [&](std::int64_t row, int column, const char* what,
                                 std::int64_t lowest, std::int64_t highest) {
          const T value = elements[static_cast<std::size_t>(2 * row + column)];
          if (!is_whole_number(value, lowest, highest)) {
            throw InputError(fmt::format("{}: row {}: {} {} is not a whole number from {} to {}",
                                         file.name(), row, what, value, lowest, highest));
          }
          return static_cast<std::int64_t>(value);
        };
        using Energy = std::numeric_limits<std::int32_t>;
        for (std::int64_t row = 0; row < shape[0]; ++row) {
          const std::int64_t position =
              integer(row, 0, "position", -largest_position, largest_position);
          const std::int64_t energy = integer(row, 1, "energy", Energy::min(), Energy::max());
          impacts.push_back({position, static_cast<std::int32_t>(energy)});
        }
      },
      array.values());
  return impacts;
}

void write_storm_npy(const Storm& storm, const std::string& path) {
  const auto write_as = [&]<class T>(std::vector<T> elements) {
    elements.reserve(2 * storm.impacts.size());
    for (const Impact& impact : storm.impacts) {
      elements.push_back(static_cast<T>(impact.position));
      elements.push_back(static_cast<T>(impact.energy));
    }
    OutputFile file(path);
    write_npy(elements, {std::ssize(storm.impacts), 2}, file);
    file.commit();
  };
  const auto fits = [](std::int64_t p) { return p == static_cast<std::int32_t>(p); };
  if (std::ranges::all_of(storm.impacts, fits, &Impact::position)) {
    write_as(std::vector<std::int32_t>());
  } else {
    write_as(std::vector<std::int64_t>());
  }
}

}  // namespace bombard
