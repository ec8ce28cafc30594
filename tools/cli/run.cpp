#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "inputs/errors.hpp"
#include "inputs/npy.hpp"
#include "inputs/output_file.hpp"
#include "sim/simulation.hpp"
#include "tools/cli/arguments.hpp"
#include "tools/cli/layer_plot.hpp"
#include "tools/cli/outputs.hpp"
#include "tools/cli/report.hpp"
#include "tools/cli/simulation_arguments.hpp"
#include "tools/cli/subcommands.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard::tools {

namespace {

constexpr const char* description =
    "Simulates storms on a layer of CELLS cells and shows the maximum after each storm.\n"
    "STORM is a file: the number of its impacts, then a position and an energy for each of them;\n"
    "- is standard input. The layer is 0 at first, and every storm adds to it.\n"
    "All engines of single precision give the same maxima to the last digit.\n";

constexpr const char* examples =
    "\nExamples:\n"
    "  bombard run 35 storm_1.txt storm_2.txt           a table for people\n"
    "  bombard run 35 storm_1.txt --plot                the final layer, drawn below the table\n"
    "  bombard run 35 - < storm_1.txt                   a storm from standard input\n"
    "  bombard run 35 storm_1.txt --format json         for programs; also csv and result\n"
    "  bombard run 35 storm_1.txt --layer layer.npy     the final layer for NumPy\n"
    "  bombard run 35 storm_1.txt --precision double    the true sums, in binary64\n"
    "  bombard run 35 storm_1.txt --engine cuda_staged --reduction inhouse\n"
    "\nWith --layer or --plot, --method auto takes a direct engine in single precision: its layer "
    "is "
    "the\n"
    "rule's to the last bit. This may take longer.\n"
    "\nThe plot follows the table on standard output. With another format on standard output, the "
    "plot\n"
    "goes to standard error, so that a program can read the result.\n";

/// Finds out before a long computation that its result could not be kept. A pipe or a device is
/// left alone: opening one twice disturbs who reads it.
void check_writable(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && std::filesystem::is_other(status)) return;
  const OutputFile probe(path);
}

/// The format of results where none is asked for.
ReportFormat format_by_name(const std::string& output) {
  if (output.ends_with(".json")) return ReportFormat::json;
  if (output.ends_with(".csv")) return ReportFormat::csv;
  return ReportFormat::table;
}

std::string plot(const SimulationResult& result, int width) {
  std::vector<Maximum> maxima;
  maxima.reserve(result.storms.size());
  for (const StormResult& storm : result.storms) maxima.push_back(storm.maximum);
  std::vector<float> rounded;
  if (result.precision == Precision::binary64) {
    rounded.assign(result.layer_in_double.begin(), result.layer_in_double.end());
  }
  return plot_layer(rounded.empty() ? result.layer : rounded, maxima, width,
                    shows_utf8() ? PlotCharacters::blocks : PlotCharacters::ascii);
}

/// In the precision that the run computed in.
void write_layer(const SimulationResult& result, const std::string& path) {
  if (result.precision == Precision::binary32) {
    write_npy(result.layer, path);
    return;
  }
  OutputFile file(path);
  write_npy(std::span<const double>(result.layer_in_double), {result.cells}, file);
  file.commit();
}

}  // namespace

int run(int argc, char** argv) {
  cxxopts::Options options("bombard run", description);
  options.custom_help("CELLS STORM... [OPTION...]");
  add_simulation_options(options);
  const auto text = [] { return cxxopts::value<std::string>(); };
  options.add_options("Results")  //
      ("format", "table, result, json or csv; without it by the name of the output, else table",
       text(), "FORMAT")                                                                 //
      ("output", "Write the results to this file, whole or not at all", text(), "FILE")  //
      ("layer", "Write the final layer to this NumPy file, in the precision computed in", text(),
       "FILE.npy")  //
      ("plot", "Draw the final layer, the storms' maxima marked");
  const cxxopts::ParseResult parsed = parse(options, argc, argv, "run");
  if (parsed.count("help") != 0) {
    print(options.help({"Results", "Computation", "Messages"}) + examples);
    return 0;
  }

  SimulationArguments arguments = simulation_arguments(parsed, "run");
  const bool to_file = parsed.count("output") != 0;
  const bool with_layer = parsed.count("layer") != 0;
  const bool with_plot = parsed.count("plot") != 0;
  const std::string output = to_file ? parsed["output"].as<std::string>() : "";
  const ReportFormat format = parsed.count("format") != 0
                                  ? parse_report_format(parsed["format"].as<std::string>())
                                  : format_by_name(output);
  const std::string layer = with_layer ? parsed["layer"].as<std::string>() : "";
  if (to_file && with_layer && same_file(output, layer)) {
    throw InputError(fmt::format("--output and --layer both name {}; give them two files", output));
  }
  const std::vector<std::string>& storms = arguments.options.storm_paths;
  if (to_file) {
    check_output("--output", output, storms, arguments.quiet);
    check_writable(output);
  }
  if (with_layer) {
    check_output("--layer", layer, storms, arguments.quiet);
    check_writable(layer);
  }
  arguments.options.keep_layer = with_layer || with_plot;
  arguments.options.request.exact_layer = arguments.options.keep_layer;

  const SimulationResult result = [&] {
    ProgressLine line(!arguments.quiet);
    return simulate(
        arguments.options, [&line](const Progress& progress) { line.show(progress); },
        selection_notes(arguments, parsed));
  }();

  if (arguments.verbose) note_evidence(result.storms);
  if (with_layer) write_layer(result, layer);
  if (to_file) {
    OutputFile file(output);
    file.write(report(result, format));
    file.commit();
  } else {
    print(report(result, format));
  }
  if (with_plot) {
    if (to_file) {
      print(plot(result, columns(stdout)));
    } else if (format == ReportFormat::table) {
      print('\n' + plot(result, columns(stdout)));
    } else {
      print_aside(plot(result, columns(stderr)));
    }
  }
  return 0;
}

}  // namespace bombard::tools
