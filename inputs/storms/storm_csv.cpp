// Storms as CSV (RFC 4180): the header position,energy, in either order, then a row for each
// impact.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <string>

#include "bombard/errors.hpp"
#include "inputs/storms/storm_file.hpp"
#include "inputs/storms/storm_text.hpp"
#include "inputs/token.hpp"
#include "inputs/write_line.hpp"
#include "kernels/base/cores.hpp"

namespace bombard {

namespace {

constexpr std::string_view plain_header = "position,energy\n";

/// The rows of a CSV file, one after another, without those that are blank.
class CsvRows {
 public:
  explicit CsvRows(const MappedFile& file)
      : rest_(without_byte_order_mark(file.content())), name_(file.name()) {}

  /// Goes to the next row; false at the end.
  bool next() {
    do {
      if (rest_.empty()) return false;
      std::size_t end = 0;
      while (end < rest_.size() && !ends_line(rest_[end])) ++end;
      row_ = rest_.substr(0, end);
      end += rest_.substr(end).starts_with("\r\n") ? 2 : 1;
      rest_.remove_prefix(std::min(end, rest_.size()));
      ++line_;
    } while (std::ranges::all_of(row_, is_white));
    return true;
  }
  /// Whether the row may go on behind the end of the text.
  bool is_cut() const { return rest_.empty(); }

  /// Takes the next field of the row, without blanks and quotes around it.
  std::string_view take() {
    skip_blanks();
    const bool in_quotes = row_.starts_with('"');
    if (in_quotes) row_.remove_prefix(1);
    const std::size_t end = std::min(row_.find(in_quotes ? '"' : ','), row_.size());
    std::string_view field = row_.substr(0, end);
    row_.remove_prefix(end);
    if (in_quotes) {
      if (row_.empty()) fail(fmt::format("the quotes before {} are not closed", quoted(field)));
      row_.remove_prefix(1);
      skip_blanks();
    } else {
      field.remove_suffix(field.size() - 1 - field.find_last_not_of(blanks));
    }
    ended_ = row_.empty();
    if (!ended_ && row_.front() != ',') {
      fail(fmt::format("{} after a field in quotes, where a comma must be", quoted(row_)));
    }
    row_.remove_prefix(ended_ ? 0 : 1);
    return field;
  }
  /// Whether the field that was taken was the last one.
  bool ended() const { return ended_; }

  [[noreturn]] void fail(const std::string& problem) const {
    throw InputError(fmt::format("{}:{}: {}", name_, line_, problem));
  }

 private:
  static constexpr const char* blanks = " \t";
  void skip_blanks() { row_.remove_prefix(std::min(row_.find_first_not_of(blanks), row_.size())); }

  std::string_view rest_;
  std::string_view row_;  ///< what is left of it
  const std::string& name_;
  std::int64_t line_ = 0;
  bool ended_ = false;
};

/// Whether the first column is the position. Throws InputError for other columns than these two.
bool position_is_first(CsvRows& rows) {
  constexpr const char* columns = "a storm as CSV has the columns position and energy alone";
  std::vector<std::string_view> names;
  do {
    const std::string_view name = rows.take();
    if (name != "position" && name != "energy") {
      rows.fail(fmt::format("column {} is neither position nor energy; {}{}", quoted(name), columns,
                            name.empty() ? " (pandas: to_csv(index=False))" : ""));
    }
    if (std::ranges::find(names, name) != names.end()) {
      rows.fail(fmt::format("column \"{}\" appears twice; {}", name, columns));
    }
    names.push_back(name);
  } while (!rows.ended());
  if (names.size() < 2) {
    rows.fail(fmt::format("column {} is missing; {}", names[0] == "energy" ? "position" : "energy",
                          columns));
  }
  return names[0] == "position";
}

/// Calls take(impact) for each row. If the file goes on, the last row is not looked at.
template <class Take>
void take_rows(const MappedFile& file, bool goes_on, const Take& take) {
  CsvRows rows(file);
  constexpr std::size_t longest = std::size_t{1} << 16;
  if (!rows.next() || (goes_on && rows.is_cut())) {
    if (file.content().size() < longest) return;
    rows.fail(fmt::format("{} characters without the end of a line: this is not a header",
                          file.content().size()));
  }
  const bool position_first = position_is_first(rows);
  const auto integer = [&](const char* what, std::int64_t lowest, std::int64_t highest) {
    const std::string_view field = rows.take();
    std::int64_t value = 0;
    if (const char* const end = field.data() + field.size();
        field.empty() || scan_integer(field.data(), end, value) != end || value < lowest ||
        value > highest) {
      rows.fail(integer_problem(field, what, lowest, highest));
    }
    return value;
  };
  const auto position = [&] { return integer("position", -largest_position, largest_position); };
  using Energy = std::numeric_limits<std::int32_t>;
  const auto energy = [&] { return integer("energy", Energy::min(), Energy::max()); };
  while (rows.next() && !(goes_on && rows.is_cut())) {
    const std::int64_t first = position_first ? position() : energy();
    if (rows.ended()) rows.fail("1 field, where the header has 2");
    const std::int64_t second = position_first ? energy() : position();
    if (!rows.ended()) rows.fail("more fields than the 2 of the header");
    take(Impact{position_first ? first : second,
                static_cast<std::int32_t>(position_first ? second : first)});
  }
}

bool begins_csv(const MappedFile& begun) {
  const std::string_view text = without_byte_order_mark(begun.content());
  const auto first = std::ranges::find_if_not(text, is_white);
  return first != text.end() &&
         (std::isalpha(static_cast<unsigned char>(*first)) != 0 || *first == '"' || *first == ',');
}

std::int64_t rows_of_csv(const MappedFile& file) {
  std::int64_t number = -1;  // the header
  for (CsvRows rows(file); rows.next();) ++number;
  return number;
}

std::vector<Impact> read_csv(const MappedFile& file, std::int64_t rows) {
  const std::string_view text = without_byte_order_mark(file.content());
  if (text.starts_with(plain_header)) {
    const std::string_view body = text.substr(plain_header.size());
    if (auto all = read_storm_lines(body, ',', rows, default_threads())) return *std::move(all);
  }
  std::vector<Impact> impacts;
  impacts.reserve(static_cast<std::size_t>(rows));
  take_rows(file, false, [&](const Impact& impact) { impacts.push_back(impact); });
  return impacts;
}

void look_at_csv(const MappedFile& begun) {
  take_rows(begun, true, [](const Impact&) {});
}

void write_csv(std::span<const Impact> impacts, OutputFile& file) {
  file.write(plain_header);
  for (const Impact& impact : impacts) write_line<','>(file, impact.position, impact.energy);
}

}  // namespace

extern constinit const StormFormat storm_csv{"csv",    ".csv",    begins_csv, rows_of_csv,
                                             read_csv, write_csv, look_at_csv};

}  // namespace bombard
