// Storms as CSV (RFC 4180): the header position,energy, in either order, then a row for each
// impact.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <string>
#include <vector>

#include "inputs/number_text.hpp"
#include "inputs/storms/storm_file.hpp"
#include "inputs/storms/storm_text.hpp"
#include "inputs/write_line.hpp"
#include "kernels/base/cores.hpp"

namespace bombard {

namespace {

constexpr std::string_view plain_header = "position,energy\n";

/// The fields of a row, without the blanks and the quotes around them. A comma within quotes ends a
/// field, too: no number and neither name has one.
void split(std::string_view row, std::vector<std::string_view>& fields) {
  fields.clear();
  for (bool more = true; more;) {
    std::string_view field = row.substr(0, row.find(','));
    more = field.size() < row.size();
    row.remove_prefix(field.size() + (more ? 1 : 0));
    while (!field.empty() && is_white(field.front())) field.remove_prefix(1);
    while (!field.empty() && is_white(field.back())) field.remove_suffix(1);
    const bool is_quoted = field.size() > 1 && field.front() == '"' && field.back() == '"';
    fields.push_back(is_quoted ? field.substr(1, field.size() - 2) : field);
  }
}

/// Throws InputError, with the line of `text`, for other columns than position and energy.
void check_header(const std::vector<std::string_view>& names, const NumberText& text) {
  constexpr const char* columns = "a storm as CSV has the columns position and energy alone";
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (*name != "position" && *name != "energy") {
      text.fail(fmt::format("column {} is neither position nor energy; {}{}", in_quotes(*name),
                            columns, name->empty() ? " (pandas: to_csv(index=False))" : ""));
    }
    if (std::find(names.begin(), name, *name) != name) {
      text.fail(fmt::format("column \"{}\" appears twice; {}", *name, columns));
    }
  }
  if (names.size() < 2) {
    text.fail(fmt::format("column {} is missing; {}", names[0] == "energy" ? "position" : "energy",
                          columns));
  }
}

bool begins_csv(const InputFile& begun) {
  const std::string_view text = without_byte_order_mark(begun.content());
  const auto first = std::ranges::find_if_not(text, is_white);
  return first != text.end() &&
         (std::isalpha(static_cast<unsigned char>(*first)) != 0 || *first == '"' || *first == ',');
}

std::int64_t rows_of_csv(const InputFile& file) {
  std::int64_t rows = -1;  // the header
  NumberText text = NumberText::of_words(file.content(), file.name());
  for (; text.next(); text.skip_line()) ++rows;
  return rows;
}

std::vector<Impact> read_csv(const InputFile& file, std::int64_t rows) {
  const std::string_view text = without_byte_order_mark(file.content());
  if (text.starts_with(plain_header)) {
    const std::string_view body = text.substr(plain_header.size());
    if (auto all = read_storm_lines(body, ',', rows, default_threads())) return *std::move(all);
  }
  std::vector<Impact> impacts;
  impacts.reserve(static_cast<std::size_t>(rows));
  NumberText rest = NumberText::of_words(file.content(), file.name());
  rest.next();
  std::vector<std::string_view> fields;
  split(rest.rest_of_line(), fields);
  check_header(fields, rest);
  const std::size_t of_position = fields[0] == "position" ? 0 : 1;
  for (rest.skip_line(); rest.next(); rest.skip_line()) {
    split(rest.rest_of_line(), fields);
    if (fields.size() != 2) {
      rest.fail(fmt::format("{} field{}, where the header has 2", fields.size(),
                            fields.size() == 1 ? "" : "s"));
    }
    using Energy = std::numeric_limits<std::int32_t>;
    const std::int64_t position =
        rest.integer_in(fields[of_position], "position", -largest_position, largest_position);
    const std::int64_t energy =
        rest.integer_in(fields[1 - of_position], "energy", Energy::min(), Energy::max());
    impacts.push_back({position, static_cast<std::int32_t>(energy)});
  }
  return impacts;
}

void write_csv(std::span<const Impact> impacts, OutputFile& file) {
  file.write(plain_header);
  for (const Impact& impact : impacts) write_line<','>(file, impact.position, impact.energy);
}

}  // namespace

extern constinit const StormFormat storm_csv{"csv",       ".csv",   begins_csv,
                                             rows_of_csv, read_csv, write_csv};

}  // namespace bombard
