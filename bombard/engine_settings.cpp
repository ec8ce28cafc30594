#include "bombard/engine_settings.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/preparation.hpp"

namespace bombard {

namespace {

EngineRequest request_of(const SimulationSettings& settings) {
  EngineRequest request;
  request.device = parse_device(settings.device);
  request.engine = settings.engine;
  request.method = parse_method(settings.method);
  if (settings.precision != "auto") request.precision = parse_precision(settings.precision);
  request.exact_layer = settings.exact_layer;
  request.stored_layer = true;  // the caller may ask for it at any time
  request.threads = settings.threads;
  return request;
}

Rule rule_of(const SimulationSettings& settings) {
  if (!std::isfinite(settings.threshold) || settings.threshold < 0) {
    throw InputError(
        fmt::format("--threshold {} is not a threshold; it is a finite binary32 number, 0 or more",
                    settings.threshold));
  }
  return {.edition = parse_edition(fmt::to_string(settings.edition)),
          .attenuation = parse_attenuation(settings.attenuation),
          .threshold = settings.threshold};
}

}  // namespace

void check_position(std::int64_t position, std::size_t index) {
  if (position >= -largest_position && position <= largest_position) return;
  throw InputError(
      fmt::format("impact {}: position {} is too far away; it may lie between {} and "
                  "{}",
                  index, position, -largest_position, largest_position));
}

Selection selection_for(const SimulationSettings& settings, const Workload& workload) {
  check_cells(workload.cells);
  if (settings.threads < 0 || settings.threads > most_threads) {
    throw InputError(
        fmt::format("--threads {} is not a number of threads; it is 1 to {}, or 0 for "
                    "all cores",
                    settings.threads, most_threads));
  }
  if (workload.storms < 0 || workload.impacts < 0) {
    throw InputError(
        fmt::format("{} storms of {} impacts are not possible", workload.storms, workload.impacts));
  }
  const Rule rule = rule_of(settings);
  Selection selection = select_engine(request_of(settings), workload);
  check_attenuation(rule.attenuation, *selection.engine);
  return selection;
}

EngineOptions engine_options(const SimulationSettings& settings, const Workload& workload,
                             const Selection& selection) {
  return {.part = whole_layer(workload.cells),
          .storms = workload.storms,
          .rule = rule_of(settings),
          .keep_layer = true,
          .threads = settings.threads,
          .speed_of_interactions = selection.speed.of_interactions_to_passes(),
          .device = selection.device};
}

}  // namespace bombard
