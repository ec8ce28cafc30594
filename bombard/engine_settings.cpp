#include "bombard/engine_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bombard/run_in_ranks.hpp"
#include "sim/preparation.hpp"

namespace bombard {

namespace {

void check_threads(const SimulationSettings& settings) {
  if (settings.threads >= 0 && settings.threads <= most_threads) return;
  throw InputError(
      fmt::format("--threads {} is not a number of threads; it is 1 to {}, or 0 for all cores",
                  settings.threads, most_threads));
}

void check_rule(const Rule& rule) {
  if (!std::isfinite(rule.threshold) || rule.threshold < 0) {
    throw InputError(
        fmt::format("--threshold {} is not a threshold; it is a finite binary32 number, 0 or more",
                    rule.threshold));
  }
  if (!is_there(rule.attenuation)) {
    throw InputError(fmt::format("--attenuation {} is not an attenuation; it is {}",
                                 name_of(rule.attenuation), attenuations_there_are));
  }
}

}  // namespace

void check_position(std::int64_t position, std::size_t index) {
  if (position >= -largest_position && position <= largest_position) return;
  throw InputError(
      fmt::format("impact {}: position {} is too far away; it may lie between {} and "
                  "{}",
                  index, position, -largest_position, largest_position));
}

void check_positions(std::span<const Impact> impacts) {
  for (std::size_t i = 0; i < impacts.size(); ++i) check_position(impacts[i].position, i);
}

std::vector<CellRange> ranges_of(std::span<const std::int64_t> list, std::int64_t cells) {
  std::vector<CellRange> ranges;
  for (const std::int64_t cell : list) {
    if (cell < 0 || cell >= cells) {
      throw InputError(
          fmt::format("--cells-at {} is not in the layer; its cells are 0 to {}", cell, cells - 1));
    }
    if (!ranges.empty() && ranges.back().end == cell) {
      ++ranges.back().end;
    } else {
      ranges.push_back({cell, cell + 1});
    }
  }
  return ranges;
}

void check_peaks(std::int64_t peaks) {
  if (peaks >= 0) return;
  throw InputError(fmt::format("--peaks {} is not a number of peaks; it is 0 or more", peaks));
}

Selection selection_for(const SimulationSettings& settings, const Workload& workload) {
  check_cells(workload.cells);
  check_threads(settings);
  if (workload.storms < 0 || workload.impacts < 0) {
    throw InputError(
        fmt::format("{} storms of {} impacts are not possible", workload.storms, workload.impacts));
  }
  check_rule(settings.rule);
  Selection selection = select_engine(settings, workload);
  check_attenuation(settings.rule.attenuation, *selection.engine);
  return selection;
}

EngineOptions engine_options(const SimulationSettings& settings, const Workload& workload,
                             const Selection& selection) {
  return {.part = whole_layer(workload.cells),
          .storms = workload.storms,
          .rule = settings.rule,
          .keep_layer = true,
          .threads = settings.threads,
          .speed_of_interactions = selection.speed.of_interactions_to_passes(),
          .device = selection.device,
          .reduction = settings.reduction};
}

SimulationOptions simulation_options(const RunOptions& options, const Ranks& ranks) {
  const SimulationSettings& settings = options.settings;
  check_threads(settings);
  check_cells(options.cells);
  check_peaks(options.peaks);
  check_rule(settings.rule);
  SimulationOptions asked{.cells = options.cells,
                          .storm_paths = options.storm_paths,
                          .settings = settings,
                          .stored_layer = options.keep_layer || settings.exact_layer,
                          .keep_layer = options.keep_layer,
                          .cells_at = ranges_of(options.cells_at, options.cells),
                          .peaks = std::min(options.peaks, options.cells),
                          .initial_path = options.initial_path,
                          .communicator = ranks.communicator,
                          .layers_place = ranks.layers_place,
                          .last_layer_place = ranks.last_layer_place};
  asked.settings.exact_layer |= !options.cells_at.empty() || options.peaks > 0;
  return asked;
}

}  // namespace bombard
