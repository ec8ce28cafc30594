#include "tools/cli/reports/report.hpp"

#include <fmt/chrono.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <iterator>
#include <utility>
#include <vector>

#include "inputs/table.hpp"
#include "kernels/base/host_memory.hpp"
#include "tools/cli/build_info.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard {

namespace {

// ---- text ----

/// The code of the UTF-8 character that `text` begins with, and its number of bytes; 0 bytes if it
/// is not well-formed (Unicode 15, table 3-7).
std::pair<char32_t, std::size_t> first_character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  constexpr char32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};       // others have a shorter form
  constexpr unsigned char payload[] = {0, 0x7F, 0x1F, 0x0F, 0x07};  // of the first byte
  char32_t code = first & payload[bytes];
  for (const char byte : text.substr(1, bytes - 1)) {
    if ((byte & 0xC0) != 0x80) return {};
    code = code << 6 | (byte & 0x3F);
  }
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (text.size() < bytes || first >= 0xF8 || (first >= 0x80 && first < 0xC0)) return {};
  if (code < lowest[bytes] || code > 0x10FFFF || is_surrogate) return {};
  return {code, bytes};
}

/// Whether a character moves the cursor or disguises those around it: control characters,
/// separators of lines, marks and changes of direction, invisible ones (Unicode's categories Cc,
/// Zl, Zp and Cf, without the joiners U+200C and U+200D that scripts need); or is one of the two
/// that XML does not allow.
bool misleads(char32_t code) {
  constexpr std::pair<char32_t, char32_t> ranges[] = {
      {0x0000, 0x001F}, {0x007F, 0x009F}, {0x00AD, 0x00AD}, {0x0600, 0x0605},
      {0x061C, 0x061C}, {0x06DD, 0x06DD}, {0x070F, 0x070F}, {0x180E, 0x180E},
      {0x200B, 0x200B}, {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F},
      {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xFFFE, 0xFFFF}, {0xE0000, 0xE007F}};
  return std::ranges::any_of(
      ranges, [code](const auto& range) { return range.first <= code && code <= range.second; });
}

std::string seconds(double value) {
  return fmt::format("{:.6f}", value);
}

/// The texts of items, with `between` between them.
template <class Items, class Text>
std::string joined(const Items& items, const char* between, const Text& text_of) {
  std::string all;
  for (const auto& item : items) all += (all.empty() ? "" : between) + text_of(item);
  return all;
}

// ---- formats ----

/// "storm  cell  value" for the cells of --cells-at; nothing without the option.
std::string cells_table(const SimulationResult& result) {
  std::vector<std::vector<std::string>> rows{{"storm", "cell", "value"}};
  for (std::size_t i = 0; i < result.storms.size(); ++i) {
    for (const CellValue& cell : result.storms[i].cells) {
      rows.push_back(
          {std::to_string(i + 1), std::to_string(cell.position), fmt::format("{:f}", cell.value)});
    }
  }
  return rows.size() > 1 ? aligned(rows, rows.front().size()) + '\n' : "";
}

/// "storm  peak  position  value" for --peaks.
std::string peaks_table(const SimulationResult& result, std::int64_t peaks) {
  if (peaks < 1) return {};
  std::vector<std::vector<std::string>> rows{{"storm", "peak", "position", "value"}};
  std::string notes;
  for (std::size_t i = 0; i < result.storms.size(); ++i) {
    const std::string storm = std::to_string(i + 1);
    std::size_t number = 0;
    const PeakList& list = result.storms[i].peaks;
    for (const CellValue& peak : list.peaks) {
      rows.push_back({storm, std::to_string(++number), std::to_string(peak.position),
                      fmt::format("{:f}", peak.value)});
    }
    if (number == 0) rows.push_back({storm, "none", "none", "none"});
    if (list.complete_from > 0) {
      notes +=
          fmt::format("storm {}: below {:f} there may be other peaks\n", storm, list.complete_from);
    }
  }
  return aligned(rows, rows.front().size()) + notes + '\n';
}

std::string table(const SimulationResult& result, const ReportOptions& options) {
  std::int64_t impacts = 0;
  std::vector<std::vector<std::string>> rows{{"storm", "impacts", "position", "maximum", "file"}};
  for (const StormResult& storm : result.storms) {
    impacts += storm.impacts;
    const bool found = storm.maximum.value > 0;
    rows.push_back({std::to_string(rows.size()), std::to_string(storm.impacts),
                    found ? std::to_string(storm.maximum.position) : "none",
                    found ? fmt::format("{:f}", storm.maximum.value) : "none",
                    printable(storm.file)});
  }
  const std::string start_up = result.start_seconds > 0 ? fmt::format(", device start-up {} s",
                                                                      seconds(result.start_seconds))
                                                        : "";
  return fmt::format(
      "{}, {}, {}; {} on {}\n\n{}\n{}{}reading {} s{}, simulation {} s, total {} s\n",
      plural(result.plan.cells, "cell"),
      plural(static_cast<std::int64_t>(result.storms.size()), "storm"), plural(impacts, "impact"),
      result.plan.engine, printable(result.plan.device), aligned(rows, rows.front().size() - 1),
      cells_table(result), peaks_table(result, options.peaks), seconds(result.reading_seconds),
      start_up, seconds(result.simulation_seconds), seconds(result.total_seconds));
}

/// printf("\nTime: %lf\nResult:"), then " %d %f" for each storm, then a newline.
std::string public_program_lines(const SimulationResult& result, const ReportOptions& /*options*/) {
  return fmt::format("\nTime: {:f}\nResult:{}\n", result.simulation_seconds,
                     joined(result.storms, "", [](const StormResult& storm) {
                       return fmt::format(" {} {:f}", storm.maximum.position, storm.maximum.value);
                     }));
}

/// The JSON members of a fast engine's storm: how it found its maximum.
std::string json_members(const Evidence& evidence) {
  std::string text = fmt::format(", \"candidates\": {}, \"bound\": {}, \"direct\": {}",
                                 evidence.candidates, json_number(evidence.bound), evidence.direct);
  if (evidence.cells_seen > 0) text += fmt::format(", \"cells_seen\": {}", evidence.cells_seen);
  return text;
}

/// Cells as an array of objects.
std::string json_cells(const std::vector<CellValue>& cells) {
  return '[' +
         joined(cells, ", ",
                [](const CellValue& cell) {
                  return fmt::format("{{\"position\": {}, \"value\": {}}}", cell.position,
                                     json_number(cell.value));
                }) +
         ']';
}

/// The JSON members of a storm.
std::string json_storm(const StormResult& storm, std::int64_t peaks) {
  std::string text = fmt::format(
      "\"file\": {}, \"impacts\": {}, \"position\": {}, \"maximum\": {}, "
      "\"maximum_text\": \"{:f}\"",
      json_string(storm.file), storm.impacts, storm.maximum.position,
      json_number(storm.maximum.value), storm.maximum.value);
  if (storm.evidence) text += json_members(*storm.evidence);
  if (!storm.cells.empty()) text += ", \"cells_at\": " + json_cells(storm.cells);
  if (peaks > 0) text += ", \"peaks\": " + json_cells(storm.peaks.peaks);
  if (storm.peaks.complete_from > 0) {
    text += ", \"peaks_complete_from\": " + json_number(storm.peaks.complete_from);
  }
  return text;
}

/// A storm as a line by itself, with its number.
std::string json_line(const StormResult& storm, std::size_t number, const ReportOptions& options) {
  return fmt::format("{{\"storm\": {}, {}}}\n", number, json_storm(storm, options.peaks));
}

std::string json(const SimulationResult& result, const ReportOptions& options) {
  const Plan& plan = result.plan;
  const Provenance& from = options.provenance;
  const std::string storms = joined(result.storms, ",", [&](const StormResult& storm) {
    return fmt::format("\n    {{{}, \"seconds\": {}}}", json_storm(storm, options.peaks),
                       seconds(storm.seconds));
  });
  return fmt::format(
      "{{\n"
      "  \"program\": \"bombard\",\n"
      "  \"version\": \"{}\",\n"
      "  \"commit\": {},\n"
      "  \"command\": [{}],\n"
      "  \"date\": {},\n"
      "  \"host\": {},\n"
      "  \"engine\": {},\n"
      "  \"method\": \"{}\",\n"
      "  \"precision\": \"{}\",\n"
      "  \"device\": {},\n"
      "  \"threads\": {},\n"
      "  \"cells\": {},\n"
      "  \"edition\": {},\n"
      "  \"attenuation\": {},\n"
      "  \"threshold\": {},\n"
      "  \"seconds\": {{\"reading\": {}, \"start_up\": {}, \"simulation\": {}, \"total\": {}}},\n"
      "  \"storms\": [{}\n  ]\n"
      "}}\n",
      build_info.version, json_string(from.commit), joined(from.command, ", ", json_string),
      json_string(from.date), json_string(from.host), json_string(plan.engine),
      name_of(plan.method), name_of(plan.precision), json_string(plan.device), plan.threads,
      plan.cells, static_cast<int>(plan.rule.edition), json_string(name_of(plan.rule.attenuation)),
      fmt::format("{}", plan.rule.threshold), seconds(result.reading_seconds),
      seconds(result.start_seconds), seconds(result.simulation_seconds),
      seconds(result.total_seconds), storms);
}

std::string csv(const SimulationResult& result, const ReportOptions& options) {
  const std::int64_t peaks = options.peaks;
  std::string text =
      "version,engine,device,cells,storm,file,impacts,position,maximum,maximum_text,"
      "reading_seconds,start_up_seconds,simulation_seconds,total_seconds";
  if (!result.storms.empty()) {
    for (const CellValue& cell : result.storms.front().cells) {
      text += fmt::format(",cell_{}", cell.position);
    }
  }
  for (std::int64_t number = 1; number <= peaks; ++number) {
    text += fmt::format(",peak_{0}_position,peak_{0}", number);
  }
  for (std::size_t i = 0; i < result.storms.size(); ++i) {
    const StormResult& storm = result.storms[i];
    text +=
        fmt::format("\r\n{},{},{},{},{},{},{},{},{},{:f},{},{},{},{}", build_info.version,
                    csv_field(result.plan.engine), csv_field(result.plan.device), result.plan.cells,
                    i + 1, csv_field(storm.file), storm.impacts, storm.maximum.position,
                    json_number(storm.maximum.value), storm.maximum.value,
                    seconds(result.reading_seconds), seconds(result.start_seconds),
                    seconds(result.simulation_seconds), seconds(result.total_seconds));
    for (const CellValue& cell : storm.cells) text += ',' + json_number(cell.value);
    for (const CellValue& peak : storm.peaks.peaks) {
      text += fmt::format(",{},{}", peak.position, json_number(peak.value));
    }
    // Empty fields if the storm has fewer peaks.
    text += std::string(2 * (static_cast<std::size_t>(peaks) - storm.peaks.peaks.size()), ',');
  }
  return text + "\r\n";
}

}  // namespace

Provenance provenance(const std::vector<std::string>& command) {
  Provenance provenance;
  provenance.command = {"bombard"};
  provenance.command.insert(provenance.command.end(), command.begin(), command.end());
  provenance.commit = build_info.commit;
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
                   const ReportOptions& options) {
  if (format.of_result != nullptr) return format.of_result(result, options);
  std::string text;
  for (std::size_t i = 0; i < result.storms.size(); ++i) {
    text += format.of_storm(result.storms[i], i + 1, options);
  }
  return text;
}

std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t right) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      fmt::format_to(std::back_inserter(text), "{}{:>{}}", i > 0 ? "  " : "", row[i],
                     i < right ? widths[i] : 0);
    }
    text += '\n';
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

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const auto [code, bytes] = first_character(text);
    shown += bytes > 0 && !misleads(code) ? text.substr(0, bytes) : "?";
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return shown;
}

}  // namespace bombard
