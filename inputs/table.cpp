#include "inputs/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace bombard {

using nlohmann::ordered_json;

std::string json_text(const ordered_json& document, int indent) {
  constexpr bool only_ascii = false;
  return document.dump(indent, ' ', only_ascii, ordered_json::error_handler_t::replace) + '\n';
}

namespace {

std::string written(const Table::Cell& cell, const char* number, const char* unknown) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return std::to_string(*count);
  const double value = std::get<double>(cell);
  return std::isnan(value) ? unknown : fmt::format(fmt::runtime(number), value);
}

/// A field of a CSV file: in quotes if it holds a comma, a quote or the end of a line.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char character : text) quoted += character == '"' ? "\"\"" : std::string(1, character);
  return quoted + '"';
}

}  // namespace

std::string Table::text(const char* number, const char* unknown) const {
  std::vector<std::string> lines(rows_.size() + 1);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::vector<std::string> cells{columns_[c]};
    for (const auto& row : rows_) cells.push_back(written(row[c], number, unknown));
    const std::size_t width = std::ranges::max(cells, {}, &std::string::size).size();
    const bool is_text = !rows_.empty() && std::holds_alternative<std::string>(rows_[0][c]);
    for (std::size_t r = 0; r < cells.size(); ++r) {
      if (c > 0) lines[r] += "  ";
      lines[r] += fmt::format(fmt::runtime(is_text ? "{:<{}}" : "{:>{}}"), cells[r], width);
    }
  }
  for (std::string& line : lines) line.erase(line.find_last_not_of(' ') + 1);
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

std::string Table::csv() const {
  std::string text;
  const auto add = [&](const std::vector<Cell>& cells) {
    std::vector<std::string> fields;
    for (const Cell& cell : cells) fields.push_back(csv_field(written(cell, "{}", "")));
    text += fmt::format("{}\r\n", fmt::join(fields, ","));
  };
  add({columns_.begin(), columns_.end()});
  for (const auto& row : rows_) add(row);
  return text;
}

std::string Table::json() const {
  ordered_json all = ordered_json::array();
  for (const auto& row : rows_) {
    ordered_json object;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      std::visit([&](const auto& value) { object[columns_[c]] = value; }, row[c]);
    }
    all.push_back(std::move(object));
  }
  return json_text(all);
}

}  // namespace bombard
