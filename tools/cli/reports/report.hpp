#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bombard/simulation_result.hpp"

namespace bombard {

struct ValidationResult;

/// How a result is written (docs/formats.md).
enum class ReportFormat {
  table,   ///< for people
  result,  ///< byte for byte the lines of the public program
  json,    ///< RFC 8259, UTF-8
  csv      ///< RFC 4180, one row per storm
};
/// "table", "result", "json" or "csv"; throws InputError for anything else.
ReportFormat parse_report_format(const std::string& text);

/// Where a result comes from, beside what is in the result itself: what one needs to do the run
/// again.
struct Provenance {
  std::vector<std::string> command;  ///< as it was given, the program's name first
  std::string commit;                ///< of the program; "unknown" outside a git checkout
  std::string host;
  std::string date;  ///< of the start in UTC, ISO 8601: "2025-01-31T08:15:00Z"
};

/// The provenance of the subcommand that starts now, the first of these words.
Provenance provenance(const std::vector<std::string>& command);

/// How a result is written, and what is written beside it.
struct ReportOptions {
  ReportFormat format = ReportFormat::table;
  std::int64_t peaks = 0;  ///< the number that was asked for after each storm; there may be fewer
  Provenance provenance = {};
};

/// The whole text, the last newline included. Values in JSON and CSV are the computed ones exactly,
/// maxima beside their "%f" digits. File names may hold any bytes: JSON and the table stay valid
/// UTF-8.
std::string report(const SimulationResult& result, const ReportOptions& options);

/// "5 min", and the time where other impacts leave fewer or more candidates.
std::string time_of(const Plan& plan);

/// The plan of a run, a line for each fact; `files` are those that it would write.
std::string report(const Plan& plan, const std::vector<std::string>& files);

/// How a fast engine came to a storm's maximum, a clause for `--verbose`.
std::string report(const Evidence& evidence);

/// A table of both answers after each storm, the cells that differ (by more than is allowed), and
/// the verdict.
std::string report(const ValidationResult& result);

/// A table's rows as lines: columns apart by two blanks, `right` of them right-aligned.
std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t right);

/// Text that a terminal shows as it is: control characters and bytes that are no UTF-8 become "?".
std::string printable(std::string_view text);

/// "1 cell", "2 cells".
std::string plural(std::int64_t count, std::string_view what);

}  // namespace bombard
