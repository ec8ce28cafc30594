#include "tools/cli/result_arguments.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "bombard/errors.hpp"
#include "inputs/output_file.hpp"
#include "tools/cli/arguments.hpp"
#include "tools/cli/cell_list.hpp"
#include "tools/cli/outputs.hpp"

namespace bombard::tools {

namespace {

// More would be an array (--layers), not a table.
constexpr std::int64_t most_peaks = 10'000;

/// The format of results where none is asked for.
ReportFormat format_by_name(const std::string& output) {
  if (output.ends_with(".json")) return ReportFormat::json;
  if (output.ends_with(".csv")) return ReportFormat::csv;
  return ReportFormat::table;
}

/// Finds out before a long computation that its result could not be kept. A pipe or a device is
/// left alone: opening one twice disturbs who reads it.
void check_writable(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && std::filesystem::is_other(status)) return;
  const OutputFile probe(path);
}

}  // namespace

void add_result_options(cxxopts::Options& options) {
  const auto text = [] { return cxxopts::value<std::string>(); };
  options.add_options("Results")  //
      ("format",
       "table, result, json or csv; by default as the name of the output says, else table", text(),
       "FORMAT")  //
      ("output", "Write the results to this file, whole or not at all; - is standard output",
       text(), "FILE")  //
      ("layer", "Write the final layer to this NumPy file, in the precision computed in", text(),
       "FILE.npy")  //
      ("layers", "Write the layer after each storm to this NumPy file: storms x cells", text(),
       "FILE.npy")                                                 //
      ("plot", "Draw the final layer, the storms' maxima marked")  //
      ("cells-at",
       "Show these cells after each storm: 10,20:30 is cell 10 and cells 20 to 29, as in NumPy",
       text(), "LIST")                                                            //
      ("peaks", "Show the N highest local maxima after each storm", text(), "N")  //
      ("report", "Write a page for a browser: the layers to zoom into, the maxima, what ran where",
       text(), "FILE.html");
}

ResultArguments result_arguments(const cxxopts::ParseResult& parsed, std::int64_t cells) {
  const auto file = [&](const std::string& option) -> std::optional<std::string> {
    if (parsed.count(option) == 0) return {};
    return parsed[option].as<std::string>();
  };
  ResultArguments results;
  results.output = output_file(parsed);
  results.layer = file("layer");
  results.layers = file("layers");
  results.page = file("report");
  results.plot = parsed.count("plot") != 0;
  results.format = parsed.count("format") != 0
                       ? parse_report_format(parsed["format"].as<std::string>())
                       : format_by_name(results.output.value_or(""));
  if (parsed.count("cells-at") != 0) {
    results.cells_at = parse_cell_list(parsed["cells-at"].as<std::string>(), cells);
  }
  if (parsed.count("peaks") != 0) {
    results.peaks = whole_number(parsed["peaks"].as<std::string>(), "--peaks", 1, most_peaks);
  }
  if (results.report_cells() && results.format == ReportFormat::result) {
    throw InputError(
        "--format result has no place for --cells-at and --peaks; take table, json or csv");
  }
  return results;
}

void check_files(const ResultArguments& results, const SimulationArguments& arguments) {
  const std::pair<const char*, const std::optional<std::string>&> files[] = {
      {"--output", results.output},
      {"--layer", results.layer},
      {"--layers", results.layers},
      {"--report", results.page}};
  std::vector<std::string> inputs = arguments.options.storm_paths;
  if (arguments.options.initial_path) inputs.push_back(*arguments.options.initial_path);
  for (const auto& [option, path] : files) {
    if (!path) continue;
    for (const auto& [other_option, other_path] : files) {
      if (&other_path == &path) break;
      if (!other_path || !same_file(*path, *other_path)) continue;
      throw InputError(fmt::format("{} and {} both name {}; give them two files", other_option,
                                   option, *other_path));
    }
    check_output(option, *path, inputs, arguments.quiet);
    check_writable(*path);
  }
}

}  // namespace bombard::tools
