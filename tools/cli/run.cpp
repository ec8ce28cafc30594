#include "bombard/run.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "inputs/byte_count.hpp"
#include "inputs/output_file.hpp"
#include "kernels/base/host_memory.hpp"
#include "kernels/base/stoppable_work.hpp"
#include "sim/plan.hpp"
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

/// The files that a run would write, with the sizes of large ones.
std::vector<std::string> files_of(const Arguments& given, const Plan& plan) {
  std::vector<std::string> files;
  if (const auto path = given.output()) files.push_back(printable(*path));
  for (const auto& [option, layers] :
       {std::pair("layer", std::int64_t{1}), {"layers", plan.storms}}) {
    if (!given.has(option)) continue;
    files.push_back(
        fmt::format("{} ({})", printable(given.text(option)),
                    gigabytes(byte_count({layers, plan.cells, bytes_of_cell(plan.precision)}))));
  }
  if (const auto path = given.given("report")) files.push_back(printable(*path));
  return files;
}

/// Where the layers of a run go: two files, a page and a plot.
class LayerOutputs {
 public:
  LayerOutputs(const Arguments& given, std::int64_t cells, std::int64_t storms)
      : given_(given), cells_(cells), storms_(storms) {
    if (given.has("layers")) each_.emplace(given.text("layers"), cells, storms);
    if (given.has("layer")) last_.emplace(given.text("layer"), cells, std::nullopt);
    if (given.has("report")) page_.emplace(cells, storms);
  }

  /// The layers that are wanted.
  Layers wanted() const {
    if (each_ || page_) return Layers::each;
    return last_ || given_.has("plot") ? Layers::last : Layers::none;
  }

  void begin(const Plan& plan) {
    for (auto* const file : {&each_, &last_}) {
      if (*file) (*file)->begin(plan.precision);
    }
  }

  /// The result of the next storm, and then its layer in pieces.
  void add(const StormResult& storm) {
    storm_ = storm;
    ++done_;
    whole_.reset();
  }
  void add(Layer cells) {
    if (each_) each_->add(view_of(cells));
    if (last_ && done_ == storms_) last_->add(view_of(cells));
    if (!page_ && !given_.has("plot")) return;
    if (whole_) {
      append(*whole_, cells);
    } else {
      whole_ = std::move(cells);
    }
    if (page_ && cells_of(*whole_) == cells_) page_->add(storm_, view_of(*whole_));
  }

  void commit(const SimulationResult& result, const Provenance& from) {
    if (each_) each_->commit();
    if (last_) last_->commit();
    if (page_) write_whole(given_.text("report"), page_->text(result, from));
  }

  /// The last layer, drawn.
  std::string plot(const SimulationResult& result, int width) const {
    std::vector<Maximum> maxima;
    maxima.reserve(result.storms.size());
    for (const StormResult& storm : result.storms) maxima.push_back(storm.maximum);
    return plot_layer(view_of(*whole_), maxima, width, !shows_utf8());
  }
  bool has_plot() const { return given_.has("plot") && done_ == storms_ && whole_; }

 private:
  static std::int64_t cells_of(const Layer& layer) {
    return std::visit([](const auto& cells) { return std::ssize(cells); }, layer);
  }

  const Arguments& given_;
  std::int64_t cells_, storms_, done_ = 0;
  std::optional<LayersFile> each_, last_;
  std::optional<RunPage> page_;
  StormResult storm_{};
  std::optional<Layer> whole_;
};

/// Whether results are written to standard output storm by storm.
bool is_told(const Arguments& given, const ResultFormat& format) {
  return format.of_storm != nullptr && !given.output();
}

/// Runs, with notes and progress on standard error.
SimulationResult run_and_tell(const Arguments& given, const RunOptions& options,
                              const ResultFormat& format, LayerOutputs& outputs) {
  const bool quiet = given.has("quiet");
  std::string announcement;
  ProgressLine line(!quiet);
  SimulationObserver observer;
  observer.begin = [&](const Plan& plan) {
    note_plan(given, plan);
    if (plan.seconds > Plan::seconds_worth_telling && !quiet) {
      announcement = fmt::format("this takes about {}", time_of(plan));
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
  observer.storm = [&](const StormResult& storm) {
    if (is_told(given, format)) {
      line.wipe();
      print(format.of_storm(storm, ++told, {.peaks = options.peaks}));  // a stop may end it here
    }
    outputs.add(storm);
  };
  observer.layer = [&](Layer cells) { outputs.add(std::move(cells)); };
  observer.stop = signal_has_come;
  return bombard::run(options, observer, communicator());
}

/// The rest of a stopped run.
void note_what_is_left(const Arguments& given, const SimulationResult& result) {
  const std::int64_t done = std::ssize(result.storms), storms = done + result.storms_left;
  const bool last = given.has("layer") || given.has("plot");
  note(done == 0 ? fmt::format("stopped in storm 1 of {}: no storm is done, and nothing is written",
                               storms)
                 : fmt::format("stopped after storm {} of {}{}", done, storms,
                               last ? "; there is no final layer" : ""));
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
void print_plot(const Arguments& given, const ResultFormat& format, const SimulationResult& result,
                const LayerOutputs& outputs) {
  if (given.output()) {
    print(outputs.plot(result, columns(stdout)));
  } else if (&format == &result_formats().front()) {
    print('\n' + outputs.plot(result, columns(stdout)));
  } else {
    print_aside(outputs.plot(result, columns(stderr)));
  }
}

/// Outputs the result and the plot, with notes before them.
void give(const Arguments& given, const ResultFormat& format, const SimulationResult& result,
          const LayerOutputs& outputs, const Provenance& from) {
  if (!given.has("quiet")) note_impacts_outside(result);
  if (given.has("verbose")) {
    for (const std::string& rank : result.ranks) note(rank);
    note_evidence(result.storms);
  }
  if (!is_told(given, format)) {
    const std::string text = report(format, result, from);
    if (const auto path = given.output()) {
      write_whole(*path, text);
    } else {
      print(text);
    }
  }
  if (outputs.has_plot()) print_plot(given, format, result, outputs);
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
  const bool quiet = given.has("quiet");
  check_files(given, asked);
  LayerOutputs outputs(given, asked.cells, std::ssize(asked.storm_paths));
  asked.layers = outputs.wanted();
  if (given.has("dry-run")) {
    const Plan would_be = plan(asked, communicator());
    print(report(would_be, files_of(given, would_be)));
    return 0;
  }
  Provenance from = provenance(given.command());
  from.peaks = asked.peaks;
  const HeldSignals signals(1, quiet ? ""
                                     : "bombard: ends with the storms that are done; a second "
                                       "signal ends it at once\n");
  // A pipe that nobody reads holds up a signal no longer.
  const StoppableWork writing([](double) { end_by_held_signal(); });
  const SimulationResult result = run_and_tell(given, asked, format, outputs);
  if (!result.storms.empty()) {
    outputs.commit(result, from);
    give(given, format, result, outputs, from);
  }
  if (result.storms_left > 0 && !quiet) note_what_is_left(given, result);
  return 0;
}

}  // namespace

Subcommand run_subcommand() {
  return {
      .name = "run",
      .arguments = "CELLS STORM...",
      .summary = "simulate storms: the maximum after each",
      .work = run,
      .about =
          "Simulates storms on a layer of CELLS cells and shows the maximum after each storm.\n"
          "STORM is a file: the number of its impacts, then a position and an energy for each of "
          "them; - is standard input. The layer is 0 at first, and every storm adds to it. All "
          "engines of single precision give the same maxima to the last digit.\n"
          "Options that show the layer, and --initial, make --method auto take a direct engine in "
          "single precision, because its layer is the rule's to the last bit. With --method fast "
          "or sparse a direct engine takes the storms so far again when a layer is asked for.\n"
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
                 messages_of_simulation()}};
}

}  // namespace bombard::tools
