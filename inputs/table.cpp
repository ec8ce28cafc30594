#include "inputs/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace bombard {

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char character : text) {
    if (character == '"') quoted += '"';
    quoted += character;
  }
  return quoted + '"';
}

std::string json_string(std::string_view text) {
  using nlohmann::json;
  constexpr int on_one_line = -1;
  constexpr bool only_ascii = false;
  return json(text).dump(on_one_line, ' ', only_ascii, json::error_handler_t::replace);
}

// Not the library's: it writes 0 as 0.0, and its last digit differs for one binary32 number in 78,
// so a maximum would not have the same digits in JSON as in CSV.
std::string json_number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

namespace {

bool is_text(const Table::Cell& cell) {
  return std::holds_alternative<std::string>(cell);
}

std::string written(const Table::Cell& cell, int digits, const char* unknown) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *count);
  const double number = std::get<double>(cell);
  return std::isnan(number) ? unknown : fmt::format("{:.{}g}", number, digits);
}

}  // namespace

std::string Table::text() const {
  std::vector<std::vector<Cell>> all = rows_;
  all.insert(all.begin(), std::vector<Cell>(columns_.begin(), columns_.end()));
  std::vector<std::string> lines(all.size());
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const auto is_unknown = [c](const auto& row) { return written(row[c], 4, "").empty(); };
    if (!rows_.empty() && std::ranges::all_of(rows_, is_unknown)) continue;
    std::size_t width = 0;
    for (const auto& row : all) width = std::max(width, written(row[c], 4, "-").size());
    for (std::size_t r = 0; r < all.size(); ++r) {
      const bool left = is_text(all[r == 0 && all.size() > 1 ? 1 : r][c]);
      const std::string cell = written(all[r][c], 4, "-");
      lines[r] +=
          left ? fmt::format("{:<{}}  ", cell, width) : fmt::format("{:>{}}  ", cell, width);
    }
  }
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

std::string Table::csv() const {
  std::string text = fmt::format("{}\n", fmt::join(columns_, ","));
  for (const auto& row : rows_) {
    std::vector<std::string> cells;
    for (const Cell& cell : row) cells.push_back(csv_field(written(cell, 9, "")));
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

std::string Table::json() const {
  std::vector<std::string> objects;
  for (const auto& row : rows_) {
    std::vector<std::string> members;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string value = written(row[c], 9, "null");
      members.push_back(fmt::format("{}: {}", json_string(columns_[c]),
                                    is_text(row[c]) ? json_string(value) : value));
    }
    objects.push_back(fmt::format("\n  {{{}}}", fmt::join(members, ", ")));
  }
  return fmt::format("[{}\n]\n", fmt::join(objects, ","));
}

}  // namespace bombard
