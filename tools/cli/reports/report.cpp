#include "tools/cli/reports/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "bombard/errors.hpp"
#include "inputs/csv.hpp"
#include "inputs/json.hpp"
#include "kernels/base/host_memory.hpp"
#include "tools/cli/progress_text.hpp"
#include "tools/cli/reports/aligned.hpp"

namespace bombard {

namespace {

// ---- text ----

/// Bytes of the well-formed UTF-8 character that `text` begins with (Unicode 15, table 3-7); 0 if
/// none does.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto follows = [&](std::size_t i) { return byte(i) >= 0x80 && byte(i) <= 0xBF; };
  const unsigned first = byte(0);
  const unsigned second = byte(1);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const unsigned lowest = first == 0xE0 ? 0xA0 : 0x80;   // no overlong form
    const unsigned highest = first == 0xED ? 0x9F : 0xBF;  // no surrogate
    return second >= lowest && second <= highest && follows(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const unsigned lowest = first == 0xF0 ? 0x90 : 0x80;
    const unsigned highest = first == 0xF4 ? 0x8F : 0xBF;  // nothing above U+10FFFF
    return second >= lowest && second <= highest && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

/// The number of the well-formed character that `text` begins with.
char32_t code_point(std::string_view character) {
  constexpr unsigned char payload[] = {0, 0x7F, 0x1F, 0x0F, 0x07};  // of the first byte, by length
  char32_t code = static_cast<unsigned char>(character[0]) & payload[character.size()];
  for (const char byte : character.substr(1))
    code = code << 6 | (static_cast<unsigned char>(byte) & 0x3F);
  return code;
}

/// Whether a character moves the cursor, or makes those around it look like others: control
/// characters, separators of lines, marks and changes of direction, invisible ones (Unicode's
/// categories Cc, Zl, Zp and Cf, without the joiners U+200C and U+200D that scripts need).
bool misleads(char32_t code) {
  constexpr std::pair<char32_t, char32_t> ranges[] = {
      {0x0000, 0x001F}, {0x007F, 0x009F}, {0x00AD, 0x00AD}, {0x0600, 0x0605}, {0x061C, 0x061C},
      {0x06DD, 0x06DD}, {0x070F, 0x070F}, {0x180E, 0x180E}, {0x200B, 0x200B}, {0x200E, 0x200F},
      {0x2028, 0x202E}, {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F}};
  return std::ranges::any_of(
      ranges, [code](const auto& range) { return range.first <= code && code <= range.second; });
}

std::string seconds(double value) {
  return fmt::format("{:.6f}", value);
}

// ---- formats ----

/// "storm  cell  value" with what --cells-at asked for; nothing where it did not.
std::string cells_table(const SimulationResult& result) {
  std::vector<std::vector<std::string>> rows{{"storm", "cell", "value"}};
  for (std::size_t i = 0; i < result.storms.size(); ++i) {
    for (const CellValue& cell : result.storms[i].cells) {
      rows.push_back(
          {std::to_string(i + 1), std::to_string(cell.position), fmt::format("{:f}", cell.value)});
    }
  }
  return rows.size() > 1 ? tools::aligned(rows, rows.front().size()) + '\n' : "";
}

/// "storm  peak  position  value" with what --peaks asked for.
std::string peaks_table(const SimulationResult& result, std::int64_t peaks) {
  if (peaks < 1) return {};
  std::vector<std::vector<std::string>> rows{{"storm", "peak", "position", "value"}};
  for (std::size_t i = 0; i < result.storms.size(); ++i) {
    const std::string storm = std::to_string(i + 1);
    std::size_t number = 0;
    for (const CellValue& peak : result.storms[i].peaks) {
      rows.push_back({storm, std::to_string(++number), std::to_string(peak.position),
                      fmt::format("{:f}", peak.value)});
    }
    if (number == 0) rows.push_back({storm, "none", "none", "none"});
  }
  return tools::aligned(rows, rows.front().size()) + '\n';
}

std::string table(const SimulationResult& result, std::int64_t peaks) {
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
      result.plan.engine, printable(result.plan.device),
      tools::aligned(rows, rows.front().size() - 1), cells_table(result),
      peaks_table(result, peaks), seconds(result.reading_seconds), start_up,
      seconds(result.simulation_seconds), seconds(result.total_seconds));
}

/// printf("\nTime: %lf\nResult:"), then " %d %f" for each storm, then a newline.
std::string public_program_lines(const SimulationResult& result) {
  std::string text = fmt::format("\nTime: {:f}\nResult:", result.simulation_seconds);
  for (const StormResult& storm : result.storms) {
    fmt::format_to(std::back_inserter(text), " {} {:f}", storm.maximum.position,
                   storm.maximum.value);
  }
  return text + '\n';
}

/// The JSON members of a fast engine's storm: how it came to its maximum.
std::string json_members(const Evidence& evidence) {
  std::string text;
  if (!evidence.true_sums) {
    text = fmt::format(", \"candidates\": {}, \"bound\": {}, \"direct\": {}", evidence.candidates,
                       json_number(evidence.bound), evidence.direct);
  }
  if (evidence.cells_seen > 0) text += fmt::format(", \"cells_seen\": {}", evidence.cells_seen);
  return text;
}

/// Cells as an array of objects.
std::string json_cells(const std::vector<CellValue>& cells) {
  std::string text;
  for (const CellValue& cell : cells) {
    fmt::format_to(std::back_inserter(text), "{}{{\"position\": {}, \"value\": {}}}",
                   text.empty() ? "" : ", ", cell.position, json_number(cell.value));
  }
  return '[' + text + ']';
}

/// The values that were taken from the layer after a storm.
std::string json_members(const StormResult& storm, std::int64_t peaks) {
  std::string text;
  if (!storm.cells.empty()) text += ", \"cells_at\": " + json_cells(storm.cells);
  if (peaks > 0) text += ", \"peaks\": " + json_cells(storm.peaks);
  return text;
}

/// The data to do the run again, beside the result's own.
std::string json_members(const tools::Provenance& provenance) {
  std::string command;
  for (const std::string& word : provenance.command) {
    command += (command.empty() ? "" : ", ") + json_string(word);
  }
  return fmt::format(
      "  \"commit\": {},\n"
      "  \"command\": [{}],\n"
      "  \"date\": {},\n"
      "  \"host\": {},\n",
      json_string(provenance.commit), command, json_string(provenance.date),
      json_string(provenance.host));
}

std::string json_batches(const std::vector<Batch>& batches) {
  std::string text;
  for (const Batch& batch : batches) {
    fmt::format_to(std::back_inserter(text), "{}\n    {{\"storms\": {}, \"seconds\": {}}}",
                   text.empty() ? "" : ",", batch.storms, seconds(batch.seconds));
  }
  return text;
}

std::string json(const SimulationResult& result, const ReportOptions& options) {
  const Plan& plan = result.plan;
  std::string storms;
  for (const StormResult& storm : result.storms) {
    fmt::format_to(std::back_inserter(storms),
                   "{}\n    {{\"file\": {}, \"impacts\": {}, \"position\": {}, \"maximum\": {}, "
                   "\"maximum_text\": \"{:f}\"{}{}}}",
                   storms.empty() ? "" : ",", json_string(storm.file), storm.impacts,
                   storm.maximum.position, json_number(storm.maximum.value), storm.maximum.value,
                   storm.evidence ? json_members(*storm.evidence) : "",
                   json_members(storm, options.peaks));
  }
  return fmt::format(
      "{{\n"
      "  \"program\": \"bombard\",\n"
      "  \"version\": \"{}\",\n"
      "{}"
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
      "  \"batches\": [{}\n  ],\n"
      "  \"storms\": [{}\n  ]\n"
      "}}\n",
      BOMBARD_VERSION, json_members(options.provenance), json_string(plan.engine),
      name_of(plan.method), name_of(plan.precision), json_string(plan.device), plan.threads,
      plan.cells, static_cast<int>(plan.rule.edition), json_string(name_of(plan.rule.attenuation)),
      fmt::format("{}", plan.rule.threshold), seconds(result.reading_seconds),
      seconds(result.start_seconds), seconds(result.simulation_seconds),
      seconds(result.total_seconds), json_batches(result.batches), storms);
}

/// The names of the columns for --cells-at and --peaks.
std::string csv_header(const SimulationResult& result, std::int64_t peaks) {
  std::string text;
  if (!result.storms.empty()) {
    for (const CellValue& cell : result.storms.front().cells) {
      text += fmt::format(",cell_{}", cell.position);
    }
  }
  for (std::int64_t number = 1; number <= peaks; ++number) {
    text += fmt::format(",peak_{0}_position,peak_{0}", number);
  }
  return text;
}

/// A storm's fields in these columns; empty ones where it has fewer peaks.
std::string csv_fields(const StormResult& storm, std::int64_t peaks) {
  std::string text;
  for (const CellValue& cell : storm.cells) text += ',' + json_number(cell.value);
  for (const CellValue& peak : storm.peaks) {
    text += fmt::format(",{},{}", peak.position, json_number(peak.value));
  }
  const auto missing = static_cast<std::size_t>(peaks) - storm.peaks.size();
  return text + std::string(2 * missing, ',');
}

std::string csv(const SimulationResult& result, std::int64_t peaks) {
  std::string text =
      "version,engine,device,cells,storm,file,impacts,position,maximum,maximum_text,"
      "reading_seconds,start_up_seconds,simulation_seconds,total_seconds" +
      csv_header(result, peaks) + "\r\n";
  for (std::size_t i = 0; i < result.storms.size(); ++i) {
    const StormResult& storm = result.storms[i];
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{:f},{},{},{},{}{}\r\n",
                   BOMBARD_VERSION, csv_field(result.plan.engine), csv_field(result.plan.device),
                   result.plan.cells, i + 1, csv_field(storm.file), storm.impacts,
                   storm.maximum.position, json_number(storm.maximum.value), storm.maximum.value,
                   seconds(result.reading_seconds), seconds(result.start_seconds),
                   seconds(result.simulation_seconds), seconds(result.total_seconds),
                   csv_fields(storm, peaks));
  }
  return text;
}

}  // namespace

ReportFormat parse_report_format(const std::string& text) {
  if (text == "table") return ReportFormat::table;
  if (text == "result") return ReportFormat::result;
  if (text == "json") return ReportFormat::json;
  if (text == "csv") return ReportFormat::csv;
  throw InputError(
      fmt::format("--format \"{}\" is not a format; it is table, result, json or csv", text));
}

std::string report(const SimulationResult& result, const ReportOptions& options) {
  switch (options.format) {
    case ReportFormat::table:
      return table(result, options.peaks);
    case ReportFormat::result:
      return public_program_lines(result);
    case ReportFormat::json:
      return json(result, options);
    case ReportFormat::csv:
      return csv(result, options.peaks);
  }
  return {};
}

std::string plural(std::int64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string time_of(const Plan& plan) {
  constexpr double much = 3;
  const auto text = [](double seconds) {
    return seconds < 1 ? fmt::format("{:.2g} s", seconds) : tools::duration_text(seconds);
  };
  std::string time = text(plan.seconds);
  if (plan.seconds > much * plan.least_seconds) {
    time += fmt::format(", or {} where few cells can be the maximum", text(plan.least_seconds));
  }
  if (plan.most_seconds > much * plan.seconds) {
    time +=
        fmt::format(", or {} where very many cells can be the maximum", text(plan.most_seconds));
  }
  return time;
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
  std::vector<std::string> clauses;
  if (evidence.direct) {
    const std::string_view why = evidence.why_direct;
    clauses.push_back(fmt::format("computed directly{}{}", why.empty() ? "" : ": ", why));
  } else if (!evidence.true_sums) {
    clauses.push_back(
        fmt::format("{}, bound {:.2g}", plural(evidence.candidates, "candidate"), evidence.bound));
  }
  if (evidence.cells_seen > 0) {
    clauses.push_back(fmt::format("{} looked at", plural(evidence.cells_seen, "cell")));
  }
  if (const std::string_view why = evidence.why_dense; !why.empty()) {
    clauses.push_back(fmt::format("the layer was stored: {}", why));
  }
  return fmt::to_string(fmt::join(clauses, ", "));
}

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view character = text.substr(0, length);
    const bool shows = length > 0 && !misleads(code_point(character));
    shown += shows ? character : std::string_view("?");
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return shown;
}

}  // namespace bombard
