#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace bombard {

/// A JSON document (RFC 8259) as text, with `indent` blanks a level, or on one line; it ends with a
/// newline. Bytes that are not UTF-8 become U+FFFD; infinities and NaN are null.
std::string json_text(const nlohmann::ordered_json& document, int indent = 2);

/// Rows under named columns, for people and for programs.
class Table {
 public:
  /// NaN is "not known": empty in CSV, null in JSON.
  using Cell = std::variant<std::string, std::int64_t, double>;

  explicit Table(std::vector<std::string> columns) : columns_(std::move(columns)) {}
  /// A cell for each column.
  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }

  /// The table for people: columns two blanks apart, with numbers (by this format of {fmt}) on the
  /// right; what is not known is `unknown`.
  std::string text(const char* number = "{:.4g}", const char* unknown = "-") const;
  /// RFC 4180, a header line first; each number has the fewest digits that give it back.
  std::string csv() const;
  /// An array of objects.
  std::string json() const;

 private:
  std::vector<std::string> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace bombard
