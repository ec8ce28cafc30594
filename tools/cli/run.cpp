#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inputs/byte_count.hpp"
#include "inputs/output_file.hpp"
#include "kernels/base/host_memory.hpp"
#include "sim/simulation.hpp"
#include "tools/cli/layers_file.hpp"
#include "tools/cli/ranks.hpp"
#include "tools/cli/reports/layer_plot.hpp"
#include "tools/cli/reports/report.hpp"
#include "tools/cli/result_arguments.hpp"
#include "tools/cli/signals.hpp"
#include "tools/cli/simulation_arguments.hpp"
#include "tools/cli/subcommands.hpp"
#include "tools/cli/terminal.hpp"
#include "tools/page/run_page.hpp"

namespace bombard::tools {

namespace {

bool in_double(const Plan& plan) {
  return plan.precision == Precision::binary64;
}

std::string plot(const SimulationResult& result, int width) {
  std::vector<Maximum> maxima;
  maxima.reserve(result.storms.size());
  for (const StormResult& storm : result.storms) maxima.push_back(storm.maximum);
  std::vector<float> rounded;
  if (in_double(result.plan)) {
    rounded.assign(result.layer_in_double.begin(), result.layer_in_double.end());
  }
  return plot_layer(rounded.empty() ? result.layer : rounded, maxima, width,
                    shows_utf8() ? PlotCharacters::blocks : PlotCharacters::ascii);
}

/// The files that a run would write, with the sizes of large ones.
std::vector<std::string> files_of(const Arguments& given, const Plan& plan) {
  const std::int64_t bytes_of_cell = in_double(plan) ? sizeof(double) : sizeof(float);
  std::vector<std::string> files;
  if (const auto path = given.output()) files.push_back(printable(*path));
  for (const auto& [option, layers] :
       {std::pair("layer", std::int64_t{1}), {"layers", plan.storms}}) {
    if (!given.has(option)) continue;
    files.push_back(fmt::format("{} ({})", printable(given.text(option)),
                                gigabytes(byte_count({layers, plan.cells, bytes_of_cell}))));
  }
  if (const auto path = given.given("report")) files.push_back(printable(*path));
  return files;
}

/// "this takes about 63 h (--precision double: 9 s)".
std::string how_long(const Plan& plan) {
  std::string ways;
  for (const QuickerWay& way : plan.quicker) {
    ways += fmt::format("{}{}: {}", ways.empty() ? " (" : ", ",
                        worded(way.setting, way.value, FrontDoor::command_line),
                        duration_text(way.seconds));
  }
  return fmt::format("this takes about {}{}{}", time_of(plan), ways, ways.empty() ? "" : ")");
}

/// The files and the page of the layer, which are written during the run.
struct LayerOutputs {
  std::optional<LayersFile> layers, last;
  std::optional<RunPage> page;

  LayerOutputs(const Arguments& given, std::int64_t cells, std::int64_t storms) {
    if (given.has("layers")) layers.emplace(given.text("layers"), cells, storms);
    if (given.has("layer")) last.emplace(given.text("layer"), cells, std::nullopt);
    if (given.has("report")) page.emplace(cells, storms);
  }

  /// Makes the run pass its layers to these.
  void watch(SimulationObserver& observer) {
    if (layers) {
      observer.layer_pieces = [this](const LayerView& cells) { layers->add(cells); };
    }
    if (last) {
      observer.last_layer_pieces = [this](const LayerView& cells) { last->add(cells); };
    }
    if (page) {
      observer.after_storm = [this](const StormResult& storm, const LayerView& layer) {
        page->add(storm, layer);
      };
    }
  }

  void begin(const Plan& plan) {
    for (auto* const file : {&layers, &last}) {
      if (*file) (*file)->begin(in_double(plan));
    }
  }

  void commit(const SimulationResult& result, const Arguments& given, const Provenance& from) {
    for (auto* const file : {&layers, &last}) {
      if (*file) (*file)->commit(static_cast<std::int64_t>(result.storms.size()));
    }
    if (page) write_whole(given.text("report"), page->text(result, from));
  }
};

/// Whether results are written to standard output storm by storm.
bool is_told(const Arguments& given, const ResultFormat& format) {
  return format.of_storm != nullptr && !given.output();
}

/// Runs, with notes and progress on standard error.
SimulationResult run_and_tell(const Arguments& given, const RunOptions& options,
                              const ResultFormat& format, LayerOutputs& outputs,
                              SimulationObserver observer) {
  const bool quiet = given.has("quiet");
  const PlanSink notes = selection_notes(given);
  std::string announcement;
  ProgressLine line(!quiet);
  observer.begin = [&](const Plan& plan) {
    if (notes) notes(plan);
    if (plan.likely_seconds() > Plan::seconds_worth_telling && !quiet) {
      announcement = how_long(plan);
    }
    outputs.begin(plan);
  };
  observer.progress = [&](const Progress& now) {
    // All checks that can refuse the run are done.
    if (!announcement.empty()) note(announcement);
    announcement.clear();
    line.show(now);
  };
  std::size_t told = 0;
  if (is_told(given, format)) {
    observer.storm = [&](const StormResult& storm) {
      line.wipe();
      print(format.of_storm(storm, ++told, {.peaks = options.peaks}));
    };
  }
  observer.stop = signal_has_come;
  return simulate(options, observer, communicator());
}

/// The rest of a stopped run, for people and for their shells.
void note_what_is_left(const Arguments& given, const RunOptions& options,
                       const SimulationResult& result) {
  const auto& storms = options.storm_paths;
  const std::size_t done = result.storms.size();
  if (done == 0) {
    note(fmt::format("stopped in storm 1 of {}: no storm is done, and nothing is written",
                     storms.size()));
    return;
  }
  note(fmt::format("stopped after storm {} of {}; {}", done, storms.size(),
                   given.has("layer")
                       ? fmt::format("to go on: bombard run {} --initial {} {}{}, and the options "
                                     "of this run",
                                     options.cells, given.text("layer"), storms[done],
                                     done + 1 < storms.size() ? " and the storms after it" : "")
                       : "with --layer FILE.npy it could go on from there (--initial)"));
}

/// Which rank computed what, and what passed between them.
void note_ranks(const SimulationResult& result) {
  if (result.ranks.empty()) return;
  for (const std::string& rank : result.ranks) note(rank);
  note(fmt::format("between ranks: {} bytes for each storm on average",
                   result.bytes_moved /
                       std::max<std::int64_t>(1, static_cast<std::int64_t>(result.storms.size()))));
}

/// Positions that were counted from 1, or meant for a larger layer, show up in this way.
void note_impacts_outside(const SimulationResult& result) {
  std::int64_t outside = 0;
  std::int64_t impacts = 0;
  for (const StormResult& storm : result.storms) {
    outside += storm.impacts_outside;
    impacts += storm.impacts;
  }
  if (outside == 0) return;
  note(fmt::format("impacts outside the layer: {} of {}; their shares count in the cells inside",
                   outside, impacts));
}

/// Below the table on standard output, or where it does not disturb a program that reads the
/// output.
void print_plot(const Arguments& given, const ResultFormat& format,
                const SimulationResult& result) {
  if (given.output()) {
    print(plot(result, columns(stdout)));
  } else if (&format == &result_formats().front()) {
    print('\n' + plot(result, columns(stdout)));
  } else {
    print_aside(plot(result, columns(stderr)));
  }
}

/// Outputs the result and the plot, with notes before them.
void give(const Arguments& given, const ResultFormat& format, const SimulationResult& result,
          const ReportOptions& how) {
  if (!given.has("quiet")) note_impacts_outside(result);
  if (given.has("verbose")) {
    note_ranks(result);
    note_evidence(result.storms);
  }
  if (!is_told(given, format)) {
    const std::string text = report(format, result, how);
    if (const auto path = given.output()) {
      write_whole(*path, text);
    } else {
      print(text);
    }
  }
  if (given.has("plot")) print_plot(given, format, result);
}

int run(const Arguments& given) {
  RunOptions asked = run_options(given);
  const ResultFormat& format = result_format(given);
  asked.initial_path = given.given("initial");
  if (const auto list = given.given("cells-at")) {
    asked.cells_at = parse_cell_list(*list, asked.cells);
  }
  // A larger number would be an array (--layers), not a table.
  if (given.has("peaks")) asked.peaks = given.number("peaks", 1, most_listed_cells);
  asked.keep_layer = given.has("plot");
  asked.settings.exact_layer =
      given.has("plot") || given.has("layer") || given.has("layers") || given.has("report");
  const bool dry = given.has("dry-run"), quiet = given.has("quiet");
  if (!communicator().is_first()) {
    if (!dry) simulate(asked, {}, communicator());
    return 0;
  }
  check_files(given, asked);
  LayerOutputs outputs(given, asked.cells, std::ssize(asked.storm_paths));
  SimulationObserver observer;
  outputs.watch(observer);
  if (dry) {
    const Plan would_be = plan_of_run(asked, observer, communicator());
    print(report(would_be, files_of(given, would_be)));
    return 0;
  }
  const Provenance from = provenance(given.command());
  const HeldSignals signals(quiet ? Held::request_silently : Held::request);
  const SimulationResult result = run_and_tell(given, asked, format, outputs, observer);
  if (!result.storms.empty()) {
    outputs.commit(result, given, from);
    give(given, format, result, {asked.peaks, from});
  }
  if (result.storms_left > 0 && !quiet) note_what_is_left(given, asked, result);
  return 0;
}

}  // namespace

Subcommand run_subcommand() {
  return {
      .name = "run",
      .arguments = "CELLS STORM...",
      .summary = "simulate storms: the maximum after each",
      .about =
          "Simulates storms on a layer of CELLS cells and shows the maximum after each storm.\n"
          "STORM is a file: the number of its impacts, then a position and an energy for each of "
          "them; - is standard input. The layer is 0 at first, and every storm adds to it. All "
          "engines of single precision give the same maxima to the last digit.\n"
          "Options that show the layer make --method auto take a direct engine in single "
          "precision, because its layer is the rule's to the last bit. Options that show the layer "
          "after each storm turn batching off. Both may take longer.\n"
          "The plot follows the table on standard output. With another format on standard output, "
          "the plot goes to standard error, so that a program can read the result.",
      .examples =
          "  bombard run 35 storm_1.txt storm_2.txt         a table for people\n"
          "  bombard run 35 storm_1.txt --plot              the final layer, drawn\n"
          "  bombard run 35 - <storm_1.txt                  from standard input\n"
          "  bombard run 35 storm_1.txt --format json       for programs\n"
          "  bombard run 35 storm_1.txt --layer layer.npy   the final layer\n"
          "  bombard run 35 storm_*.txt --layers all.npy    the layer after each storm\n"
          "  bombard run 35 storm_1.txt --peaks 3           the highest local maxima\n"
          "  bombard run 35 storm_1.txt --cells-at 0:5,34   six cells after each\n"
          "  bombard run 35 storm_*.txt --report run.html   a page with the layers\n"
          "  bombard run 35 storm_1.txt --precision double  the true sums\n"
          "  bombard run 35 storm_1.txt --engine cuda_staged --reduction inhouse\n",
      .groups = {result_options(),
                 computation({{"initial", "FILE.npy|-",
                               "Start from this layer, which --layer wrote, instead of 0"}}),
                 messages_of_simulation()},
      .work = run,
      .in_all_ranks = true};
}

}  // namespace bombard::tools
