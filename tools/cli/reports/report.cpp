#include "tools/cli/reports/report.hpp"

#include <fmt/chrono.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "inputs/table.hpp"
#include "inputs/token.hpp"
#include "kernels/base/host_memory.hpp"
#include "tools/cli/build_info.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard {

namespace {

using nlohmann::ordered_json;

const Table::Cell none = std::numeric_limits<double>::quiet_NaN();
constexpr int one_line = -1;

/// Seconds to the microsecond, as a number.
double rounded(double seconds) {
  return std::round(1e6 * seconds) / 1e6;
}

std::string seconds(double value) {
  return fmt::format("{:.6f}", value);
}

/// "storm  cell  value" for the cells of --cells-at; nothing without the option.
std::string cells_table(const SimulationResult& result) {
  if (result.storms.empty() || result.storms.front().cells.empty()) return {};
  Table rows({"storm", "cell", "value"});
  for (std::int64_t i = 0; i < std::ssize(result.storms); ++i) {
    for (const CellValue& cell : result.storms[i].cells) {
      rows.add({i + 1, cell.position, cell.value});
    }
  }
  return rows.text("{:f}") + '\n';
}

/// "storm  peak  position  value" for --peaks.
std::string peaks_table(const SimulationResult& result, std::int64_t peaks) {
  if (peaks < 1) return {};
  Table rows({"storm", "peak", "position", "value"});
  std::string notes;
  for (std::int64_t i = 0; i < std::ssize(result.storms); ++i) {
    const PeakList& list = result.storms[i].peaks;
    std::int64_t number = 0;
    for (const CellValue& peak : list.peaks) {
      rows.add({i + 1, ++number, peak.position, peak.value});
    }
    if (number == 0) rows.add({i + 1, none, none, none});
    if (list.complete_from > 0) {
      notes +=
          fmt::format("storm {}: below {:f} there may be other peaks\n", i + 1, list.complete_from);
    }
  }
  return rows.text("{:f}", "none") + notes + '\n';
}

std::string table(const SimulationResult& result, const Provenance& from) {
  std::int64_t impacts = 0, number = 0;
  Table rows({"storm", "impacts", "position", "maximum", "file"});
  for (const StormResult& storm : result.storms) {
    impacts += storm.impacts;
    const auto& [position, value] = storm.maximum;
    const bool found = value > 0;
    rows.add({++number, storm.impacts, found ? Table::Cell(position) : none,
              found ? Table::Cell(value) : none, printable(storm.file)});
  }
  const std::string start_up = result.start_seconds > 0 ? fmt::format(", device start-up {} s",
                                                                      seconds(result.start_seconds))
                                                        : "";
  return fmt::format(
      "{}, {}, {}; {} on {}\n\n{}\n{}{}reading {} s{}, simulation {} s, total {} s\n",
      plural(result.plan.cells, "cell"), plural(std::ssize(result.storms), "storm"),
      plural(impacts, "impact"), result.plan.engine, printable(result.plan.device),
      rows.text("{:f}", "none"), cells_table(result), peaks_table(result, from.peaks),
      seconds(result.reading_seconds), start_up, seconds(result.simulation_seconds),
      seconds(result.total_seconds));
}

/// printf("\nTime: %lf\nResult:"), then " %d %f" for each storm, then a newline.
std::string public_program_lines(const SimulationResult& result, const Provenance& /*from*/) {
  std::string text = fmt::format("\nTime: {:f}\nResult:", result.simulation_seconds);
  for (const StormResult& storm : result.storms) {
    text += fmt::format(" {} {:f}", storm.maximum.position, storm.maximum.value);
  }
  return text + '\n';
}

ordered_json json_of(const std::vector<CellValue>& cells) {
  ordered_json all = ordered_json::array();
  for (const CellValue& cell : cells) {
    all.push_back({{"position", cell.position}, {"value", cell.value}});
  }
  return all;
}

ordered_json json_of(const StormResult& storm, std::int64_t peaks) {
  ordered_json object{{"file", storm.file},
                      {"impacts", storm.impacts},
                      {"position", storm.maximum.position},
                      {"maximum", storm.maximum.value},
                      {"maximum_text", fmt::format("{:f}", storm.maximum.value)}};
  if (const auto& evidence = storm.evidence) {
    object["candidates"] = evidence->candidates;
    object["bound"] = evidence->bound;
    object["direct"] = evidence->direct;
    if (evidence->cells_seen > 0) object["cells_seen"] = evidence->cells_seen;
  }
  if (!storm.cells.empty()) object["cells_at"] = json_of(storm.cells);
  if (peaks > 0) object["peaks"] = json_of(storm.peaks.peaks);
  if (storm.peaks.complete_from > 0) object["peaks_complete_from"] = storm.peaks.complete_from;
  return object;
}

/// A storm as a line by itself, with its number.
std::string json_line(const StormResult& storm, std::size_t number, const Provenance& from) {
  ordered_json line{{"storm", number}};
  line.update(json_of(storm, from.peaks));
  return json_text(line, one_line);
}

std::string json(const SimulationResult& result, const Provenance& from) {
  const Plan& plan = result.plan;
  ordered_json storms = ordered_json::array();
  for (const StormResult& storm : result.storms) {
    storms.push_back(json_of(storm, from.peaks));
    storms.back()["seconds"] = rounded(storm.seconds);
  }
  return json_text({{"program", "bombard"},
                    {"version", build_info::version},
                    {"commit", from.commit},
                    {"command", from.command},
                    {"date", from.date},
                    {"host", from.host},
                    {"engine", plan.engine},
                    {"method", name_of(plan.method)},
                    {"precision", name_of(plan.precision)},
                    {"device", plan.device},
                    {"threads", plan.threads},
                    {"cells", plan.cells},
                    {"edition", static_cast<int>(plan.rule.edition)},
                    {"attenuation", name_of(plan.rule.attenuation)},
                    // 0.001, and not the digits of the binary32 number.
                    {"threshold", number_of<double>(fmt::to_string(plan.rule.threshold)).value()},
                    {"seconds",
                     {{"reading", rounded(result.reading_seconds)},
                      {"start_up", rounded(result.start_seconds)},
                      {"simulation", rounded(result.simulation_seconds)},
                      {"total", rounded(result.total_seconds)}}},
                    {"storms", storms}});
}

std::string csv(const SimulationResult& result, const Provenance& from) {
  std::vector<std::string> columns{"version",
                                   "engine",
                                   "device",
                                   "cells",
                                   "storm",
                                   "file",
                                   "impacts",
                                   "position",
                                   "maximum",
                                   "maximum_text",
                                   "reading_seconds",
                                   "start_up_seconds",
                                   "simulation_seconds",
                                   "total_seconds"};
  if (!result.storms.empty()) {
    for (const CellValue& cell : result.storms.front().cells) {
      columns.push_back(fmt::format("cell_{}", cell.position));
    }
  }
  for (std::int64_t number = 1; number <= from.peaks; ++number) {
    columns.push_back(fmt::format("peak_{}_position", number));
    columns.push_back(fmt::format("peak_{}", number));
  }
  Table rows(columns);
  std::int64_t number = 0;
  for (const StormResult& storm : result.storms) {
    std::vector<Table::Cell> row{build_info::version,
                                 result.plan.engine,
                                 result.plan.device,
                                 result.plan.cells,
                                 ++number,
                                 storm.file,
                                 storm.impacts,
                                 storm.maximum.position,
                                 storm.maximum.value,
                                 fmt::format("{:f}", storm.maximum.value),
                                 rounded(result.reading_seconds),
                                 rounded(result.start_seconds),
                                 rounded(result.simulation_seconds),
                                 rounded(result.total_seconds)};
    for (const CellValue& cell : storm.cells) row.emplace_back(cell.value);
    for (const CellValue& peak : storm.peaks.peaks) {
      row.insert(row.end(), {peak.position, peak.value});
    }
    row.resize(columns.size(), none);  // where the storm has fewer peaks
    rows.add(std::move(row));
  }
  return rows.csv();
}

}  // namespace

Provenance provenance(const std::vector<std::string>& command) {
  Provenance provenance;
  provenance.command = {"bombard"};
  provenance.command.insert(provenance.command.end(), command.begin(), command.end());
  provenance.commit = build_info::commit;
  std::array<char, 256> host{};  // a name has at most 64 bytes; the last byte stays 0
  if (::gethostname(host.data(), host.size() - 1) == 0) provenance.host = host.data();
  provenance.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  return provenance;
}

std::span<const ResultFormat> result_formats() {
  static const ResultFormat all[] = {{"table", "", true, nullptr, table},
                                     {"result", "", false, nullptr, public_program_lines},
                                     {"json", ".json", true, nullptr, json},
                                     {"ndjson", ".ndjson", true, json_line, nullptr},
                                     {"csv", ".csv", true, nullptr, csv}};
  return all;
}

std::string report(const ResultFormat& format, const SimulationResult& result,
                   const Provenance& from) {
  if (format.of_result != nullptr) return format.of_result(result, from);
  std::string text;
  for (std::size_t i = 0; i < result.storms.size(); ++i) {
    text += format.of_storm(result.storms[i], i + 1, from);
  }
  return text;
}

std::string plural(std::int64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string time_of(const Plan& plan) {
  return plan.seconds < 1 ? fmt::format("{:.2g} s", plan.seconds)
                          : tools::duration_text(plan.seconds);
}

std::string report(const Plan& plan, const std::vector<std::string>& files) {
  const std::string memory =
      fmt::format("{}about {}; {} are free", plan.on_gpu ? "the GPU's, and " : "",
                  gigabytes(plan.host_bytes), gigabytes(available_host_memory()));
  return fmt::format(
      "engine  {} on {}: {}\n"
      "work    {}, {}, {}\n"
      "time    about {}\n"
      "memory  {}\n"
      "writes  {}\n"
      "nothing was computed\n",
      plan.engine, plan.device, plan.reason, plural(plan.cells, "cell"),
      plural(plan.storms, "storm"), plural(plan.impacts, "impact"), time_of(plan), memory,
      files.empty() ? "standard output alone" : fmt::to_string(fmt::join(files, ", ")));
}

std::string report(const Evidence& evidence) {
  const std::string_view why = evidence.why;
  std::vector<std::string> clauses;
  if (evidence.direct) {
    clauses.push_back(fmt::format("computed directly{}{}", why.empty() ? "" : ": ", why));
  } else {
    clauses.push_back(
        fmt::format("{}, bound {:.2g}", plural(evidence.candidates, "candidate"), evidence.bound));
  }
  if (evidence.cells_seen > 0) {
    clauses.push_back(fmt::format("{} looked at", plural(evidence.cells_seen, "cell")));
  }
  if (!evidence.direct && !why.empty()) {
    clauses.push_back(fmt::format("the layer was stored: {}", why));
  }
  return fmt::to_string(fmt::join(clauses, ", "));
}

}  // namespace bombard
