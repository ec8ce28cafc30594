#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bombard/simulation_result.hpp"
#include "inputs/token.hpp"

namespace bombard {

struct StormComparison;

/// Where a result comes from: the facts, in addition to those in the result itself, that one needs
/// to repeat the run.
struct Provenance {
  std::vector<std::string> command = {};  ///< as it was given, the program's name first
  std::string commit = {};                ///< of the program; "unknown" outside a git checkout
  std::string host = {};
  std::string date = {};   ///< of the start in UTC, ISO 8601: "2025-01-31T08:15:00Z"
  std::int64_t peaks = 0;  ///< asked for after each storm (--peaks); there may be fewer
};

/// The provenance of the subcommand that starts now, the first of these words.
Provenance provenance(const std::vector<std::string>& command);

/// A format of results (docs/formats.md), which receives the events of a run: it has a text for
/// each storm, when the storm is done, or one for the whole result, at the end. Values in JSON and
/// CSV are the computed ones exactly; maxima also have their "%f" digits. File names may hold any
/// bytes: JSON and the table stay valid UTF-8. Texts end with a newline.
struct ResultFormat {
  std::string word;    ///< of --format
  std::string ending;  ///< of a file name, which chooses the format; may be empty
  bool has_cells;      ///< whether there is a place for --cells-at and --peaks
  std::string (*of_storm)(const StormResult&, std::size_t number, const Provenance&);
  std::string (*of_result)(const SimulationResult&, const Provenance&);
};

/// All formats; the first is for people.
std::span<const ResultFormat> result_formats();

/// The whole text.
std::string report(const ResultFormat& format, const SimulationResult& result,
                   const Provenance& from);

/// "5 min".
std::string time_of(const Plan& plan);

/// The plan of a run, a line for each fact; `files` are the files that it would write.
std::string report(const Plan& plan, const std::vector<std::string>& files);

/// How a fast engine found a storm's maximum, as a clause for `--verbose`.
std::string report(const Evidence& evidence);

/// A table of both answers after each storm, the cells that differ (by more than is allowed), and
/// the verdict.
std::string validation_report(const Plan& plan, const std::vector<StormComparison>& storms);

/// "1 cell", "2 cells".
std::string plural(std::int64_t count, std::string_view what);

}  // namespace bombard
