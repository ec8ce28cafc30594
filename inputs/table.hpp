#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace bombard {

/// A field of a CSV file (RFC 4180): in quotes if it holds a comma, a quote or the end of a line.
std::string csv_field(std::string_view text);

/// A string of a JSON document (RFC 8259), in quotes. Bytes that are not UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

/// A number of a JSON document: the fewest digits that give it back exactly, as CSV has them; null
/// for an infinity and NaN.
std::string json_number(double value);

/// The findings of a study: rows under named columns.
class Table {
 public:
  /// NaN is "not known": shown as -, empty in CSV, null in JSON.
  using Cell = std::variant<std::string, std::int64_t, double>;

  explicit Table(std::vector<std::string> columns) : columns_(std::move(columns)) {}
  /// A cell for each column.
  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }

  /// The table for people: aligned, numbers to four digits, without columns that are not known in
  /// any row.
  std::string text() const;
  /// RFC 4180, a header line first; numbers to nine digits.
  std::string csv() const;
  /// RFC 8259: an array of objects; numbers to nine digits.
  std::string json() const;

 private:
  std::vector<std::string> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace bombard
