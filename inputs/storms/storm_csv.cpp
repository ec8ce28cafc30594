// Storms as CSV (RFC 4180): the header position,energy, in either order, then a row for each
// impact.

#include <fmt/format.h>

#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "inputs/number_text.hpp"
#include "inputs/storms/storm_file.hpp"
#include "inputs/storms/storm_text.hpp"
#include "inputs/write_line.hpp"
#include "kernels/base/cores.hpp"

namespace bombard {

namespace {

constexpr std::string_view plain_header = "position,energy\n";

bool begins_csv(const InputFile& begun) {
  NumberText text(begun.content(), begun.name());
  if (!text.next()) return false;
  const char first = text.rest().front();
  return std::isalpha(static_cast<unsigned char>(first)) != 0 || first == '"' || first == ',';
}

std::int64_t rows_of_csv(const InputFile& file) {
  std::int64_t rows = -1;  // the header
  for (NumberText text(file.content(), file.name()); text.next(); text.skip_line()) ++rows;
  return rows;
}

std::vector<Impact> read_csv(const InputFile& file, std::int64_t rows) {
  const std::string_view all = without_byte_order_mark(file.content());
  if (all.starts_with(plain_header)) {
    const std::string_view body = all.substr(plain_header.size());
    if (auto impacts = read_storm_lines(body, ',', rows, default_threads()))
      return *std::move(impacts);
  }
  NumberText text(file.content(), file.name());
  text.next();
  std::string header(text.rest_of_line());
  std::erase_if(header, [](char c) { return is_white(c) || c == '"'; });
  const bool energy_first = header == "energy,position";
  if (!energy_first && header != "position,energy") {
    text.fail(
        fmt::format("{} is not the header of a storm, which has the columns position and "
                    "energy alone (pandas: to_csv(index=False))",
                    in_quotes(text.rest_of_line())));
  }
  std::vector<Impact> impacts;
  impacts.reserve(static_cast<std::size_t>(rows));
  // text.skip(0): the comma behind the last number of a row does not stand in the next row.
  for (text.skip_line(); text.next(); text.skip(0)) {
    Impact& impact = impacts.emplace_back();
    if (energy_first) impact.energy = take_energy(text);
    if (energy_first && !text.next(true)) text.fail("this row lacks a position");
    impact.position = take_position(text);
    if (!energy_first && !text.next(true)) text.fail("this row lacks an energy");
    if (!energy_first) impact.energy = take_energy(text);
    if (text.next(true)) {
      text.fail(fmt::format("{} behind the two numbers of a row", in_quotes(text.token())));
    }
  }
  return impacts;
}

void write_csv(std::span<const Impact> impacts, OutputFile& file) {
  file.write(plain_header);
  for (const Impact& impact : impacts) write_line<','>(file, impact.position, impact.energy);
}

}  // namespace

extern constinit const StormFormat storm_csv{"csv", begins_csv, rows_of_csv, read_csv, write_csv};

}  // namespace bombard
