// Storms as NumPy arrays (.npy) of P x 2: positions and energies, integers, or float32 or float64
// of whole numbers within their bounds. Messages name the row, from 0.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "bombard/errors.hpp"
#include "inputs/npy.hpp"
#include "inputs/storms/storm_file.hpp"
#include "inputs/token.hpp"

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

/// Positions or energies of a file: where the first one is, and how far it is to the next.
struct Column {
  const char* name;
  std::int64_t lowest, highest;
  std::string_view type = {};
  const char* first = nullptr;
  std::size_t stride = 0;
};
using Energy = std::numeric_limits<std::int32_t>;
using Columns = std::array<Column, 2>;

/// The two fields of records, or the two columns of an array P x 2, whose rows are such records.
Columns columns_of(const NpyArray& array, const std::string& file) {
  Columns columns{{{"position", -largest_position, largest_position},
                   {"energy", Energy::min(), Energy::max()}}};
  const std::vector<std::int64_t>& shape = array.shape();
  std::vector<NpyArray::Field> fields = array.fields();
  std::size_t stride = array.record_size();
  if (!array.has_records()) {
    if (shape.size() != 2 || shape[1] != 2) {
      throw InputError(fmt::format("{}: this array is {}; a storm is P x 2: positions and energies",
                                   file, shape_text(shape)));
    }
    const std::string_view type = fields.front().type;
    fields = {{"position", type, 0}, {"energy", type, stride}};
    stride *= 2;
  }
  const auto refuse = [&](const std::string& problem) {
    throw InputError(fmt::format(
        "{}: {}; a storm of records has one dimension and the fields position and energy alone",
        file, problem));
  };
  if (array.has_records() && shape.size() != 1) {
    refuse(fmt::format("this array is {}", shape_text(shape)));
  }
  for (const NpyArray::Field& field : fields) {
    if (field.name.empty()) continue;
    const auto column = std::ranges::find(columns, field.name, &Column::name);
    if (column == columns.end()) refuse(fmt::format("there is a field {}", quoted(field.name)));
    if (column->first != nullptr) refuse(fmt::format("{} appears twice", quoted(field.name)));
    column->type = field.type;
    column->first = array.bytes().data() + field.offset;
    column->stride = stride;
  }
  for (const Column& column : columns) {
    if (column.first == nullptr) refuse(fmt::format("there is no field \"{}\"", column.name));
  }
  return columns;
}

std::int64_t announced_in_array(const MappedFile& file) {
  const NpyArray array(file);
  columns_of(array, file.name());
  return array.shape().front();
}

template <class T>
std::int64_t integer_at(const Column& column, std::int64_t row, const std::string& file) {
  T value;
  std::memcpy(&value, column.first + column.stride * static_cast<std::size_t>(row), sizeof value);
  if (is_whole_number(value, column.lowest, column.highest))
    return static_cast<std::int64_t>(value);
  throw InputError(fmt::format("{}: row {}: {} {} is not a whole number from {} to {}", file, row,
                               column.name, value, column.lowest, column.highest));
}

std::vector<Impact> read_array(const MappedFile& file, std::int64_t rows) {
  const NpyArray array(file);
  const Columns columns = columns_of(array, file.name());
  std::vector<Impact> impacts;
  impacts.reserve(static_cast<std::size_t>(rows));
  with_npy_type(columns[0].type, [&]<class Position>(Position) {
    with_npy_type(columns[1].type, [&]<class Energy>(Energy) {
      for (std::int64_t row = 0; row < rows; ++row) {
        const auto position = integer_at<Position>(columns[0], row, file.name());
        const auto energy = integer_at<Energy>(columns[1], row, file.name());
        impacts.push_back({position, static_cast<std::int32_t>(energy)});
      }
    });
  });
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

extern constinit const StormFormat storm_npy{"npy",      ".npy",         is_npy, announced_in_array,
                                             read_array, write_as_array, nullptr};

}  // namespace bombard
