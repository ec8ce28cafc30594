#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace bombard {

/// The findings of a study: rows under named columns.
class Table {
 public:
  /// NaN is "not known": shown as -, empty in CSV, null in JSON.
  using Cell = std::variant<std::string, std::int64_t, double>;

  explicit Table(std::vector<std::string> columns) : columns_(std::move(columns)) {}
  /// A cell for each column.
  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }

  /// The table for people: aligned, numbers to four digits.
  std::string text() const;
  /// RFC 4180, a header line first; numbers to nine digits.
  std::string csv() const;
  /// RFC 8259: an array of objects.
  std::string json() const;

 private:
  std::vector<std::string> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace bombard
