#include "inputs/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "inputs/csv.hpp"
#include "inputs/json.hpp"

namespace bombard {

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
  std::vector<std::size_t> widths;
  for (const std::string& column : columns_) widths.push_back(column.size());
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], written(row[c], 4, "-").size());
    }
  }
  const auto padded = [](const std::string& text, std::size_t width, bool left) {
    return left ? fmt::format("{:<{}}  ", text, width) : fmt::format("{:>{}}  ", text, width);
  };
  std::string text;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    text += padded(columns_[c], widths[c], !rows_.empty() && is_text(rows_.front()[c]));
  }
  for (const auto& row : rows_) {
    text += '\n';
    for (std::size_t c = 0; c < row.size(); ++c) {
      text += padded(written(row[c], 4, "-"), widths[c], is_text(row[c]));
    }
  }
  return text + '\n';
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
  std::string text = "[";
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    text += r == 0 ? "\n  {" : ",\n  {";
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string value = written(rows_[r][c], 9, "null");
      text += fmt::format("{}{}: {}", c == 0 ? "" : ", ", json_string(columns_[c]),
                          is_text(rows_[r][c]) ? json_string(value) : value);
    }
    text += "}";
  }
  return text + "\n]\n";
}

}  // namespace bombard
