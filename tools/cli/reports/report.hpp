#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bombard/simulation_result.hpp"
#include "tools/cli/provenance.hpp"

namespace bombard {

/// How a result is written (docs/formats.md).
enum class ReportFormat {
  table,   ///< for people
  result,  ///< byte for byte the lines of the public program
  json,    ///< RFC 8259, UTF-8
  csv      ///< RFC 4180, one row per storm
};
/// "table", "result", "json" or "csv"; throws InputError for anything else.
ReportFormat parse_report_format(const std::string& text);

/// How a result is written, and what is written beside it.
struct ReportOptions {
  ReportFormat format = ReportFormat::table;
  std::int64_t peaks = 0;  ///< the number that was asked for after each storm; there may be fewer
  tools::Provenance provenance = {};
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

/// Text that a terminal shows as it is: control characters and bytes that are no UTF-8 become "?".
std::string printable(std::string_view text);

/// "1 cell", "2 cells".
std::string plural(std::int64_t count, std::string_view what);

}  // namespace bombard
