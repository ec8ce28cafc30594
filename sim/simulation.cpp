#include "sim/simulation.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/base/host_memory.hpp"
#include "kernels/base/profiling_range.hpp"
#include "kernels/base/timer.hpp"
#include "sim/engines/engines.hpp"
#include "sim/preparation.hpp"
#include "sim/progress.hpp"
#include "sim/ranks/engine_of_ranks.hpp"

namespace bombard {

namespace {

// A batch of storms takes about this long: progress is reported after each, and an engine that
// fuses storms still gets several to fuse. The impacts of a batch are bounded, too.
constexpr double batch_seconds = 0.5;

void begin_with(Engine& engine, const Layer& layer) {
  if (const auto* cells = std::get_if<std::vector<float>>(&layer); cells && !cells->empty()) {
    engine.begin_with(*cells);
  } else if (const auto* in_double = std::get_if<std::vector<double>>(&layer)) {
    engine.begin_with_double(*in_double);
  }
}

std::int64_t impacts_outside(const Storm& storm, std::int64_t cells) {
  return std::ranges::count_if(storm.impacts, [cells](const Impact& impact) {
    return impact.position < 0 || impact.position >= cells;
  });
}

/// Shows the layer to the sink; returns how many seconds that took, the copy included.
double show_layer(const Engine& engine, Precision precision, StormResult& storm,
                  const LayerSink& after_storm) {
  const WallTimer showing;
  if (precision == Precision::binary64) {
    after_storm(storm, std::span<const double>(engine.layer_in_double()));
  } else {
    after_storm(storm, std::span<const float>(engine.layer()));
  }
  return showing.seconds();
}

std::int64_t bytes_moved(const SimulationOptions& options) {
  return options.communicator == nullptr ? 0 : options.communicator->bytes_moved();
}

}  // namespace

std::size_t storms_in_batch(const Selection& selection, std::int64_t cells,
                            std::span<const std::int64_t> left) {
  double seconds = 0;
  std::int64_t impacts = 0;
  std::size_t count = 0;
  for (const std::int64_t of_storm : left) {
    seconds += estimated_seconds(*selection.engine, {cells, of_storm, 1}, selection.speed);
    impacts += of_storm;
    const bool full = seconds > batch_seconds || impacts > StormStream::most_ahead_by_default;
    if (count > 0 && full) break;
    ++count;
  }
  return count;
}

SimulationResult simulate(const SimulationOptions& options, const SimulationObserver& observer) {
  const WallTimer total;
  const LayerSink& after_storm = observer.after_storm;
  Preparation prepared = prepare(options, observer.selected);
  const EngineEntry& entry = *prepared.selection.engine;
  StormStream& storms = *prepared.storms;
  const bool in_double = entry.precision == Precision::binary64;
  if (options.keep_layer || after_storm) {
    EngineOptions& of_engine = prepared.engine_options;
    of_engine.keep_layer = true;
    of_engine.bytes_beside = options.cells * bytes_of_cell(entry.precision) + options.bytes_beside;
    if (entry.on_device) require_host_memory(of_engine.bytes_beside, "a copy of the layer");
  }

  SimulationResult result{};
  result.engine = entry.name;
  result.method = entry.method;
  result.precision = entry.precision;
  result.device = prepared.selection.device_name;
  result.threads = thread_count({.part = {}, .threads = threads_of_a_rank(options)});
  result.cells = options.cells;
  result.rule = options.rule;
  result.start_seconds = prepared.start_seconds;
  result.storms.reserve(static_cast<std::size_t>(storms.storms()));

  const ProfilingRange range("simulation");  // tools/profile selects kernels by this name
  const double waited_before = storms.waited_seconds();
  double aside_seconds = 0;
  const WallTimer simulation;
  std::optional<ProgressMeter> meter;
  if (observer.progress) {
    prepared.engine_options.worked = [&](double interactions) { meter->within(interactions); };
  }
  const std::unique_ptr<Engine> engine = make_engine(options, prepared);
  if (const auto* const of_ranks = dynamic_cast<const EngineOfRanks*>(engine.get())) {
    result.ranks = of_ranks->places();
  }
  begin_with(*engine, std::exchange(prepared.initial, {}));
  meter.emplace(prepared.workload, prepared.selection.seconds, observer.progress);
  while (!storms.left().empty()) {
    const ProfilingRange batch_range("batch of storms");
    const std::vector<Storm> batch = storms.take(
        after_storm ? 1
                    : storms_in_batch(prepared.selection, cells_of_a_rank(options), storms.left()));
    const WallTimer computing;
    const std::int64_t moved_before = bytes_moved(options);
    const std::vector<Maximum> maxima = engine->apply(batch);
    result.bytes_moved += bytes_moved(options) - moved_before;
    result.batches.push_back({static_cast<std::int64_t>(batch.size()), computing.seconds()});
    const WallTimer counting;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      result.storms.push_back({.file = batch[i].name,
                               .impacts = static_cast<std::int64_t>(batch[i].impacts.size()),
                               .maximum = maxima.at(i),
                               .impacts_outside = impacts_outside(batch[i], options.cells)});
    }
    aside_seconds += counting.seconds();
    if (after_storm) {
      aside_seconds += show_layer(*engine, entry.precision, result.storms.back(), after_storm);
    }
    meter->done(batch);
    if (observer.stop && observer.stop()) break;
  }
  result.storms_left = static_cast<std::int64_t>(storms.left().size());
  result.reading_seconds = storms.waited_seconds();
  result.simulation_seconds =
      simulation.seconds() - aside_seconds - (storms.waited_seconds() - waited_before);
  add_evidence(*engine, result.storms);
  if (options.keep_layer && in_double) {
    result.layer_in_double = engine->layer_in_double();
  } else if (options.keep_layer) {
    result.layer = engine->layer();
  }
  result.total_seconds = total.seconds();
  return result;
}

}  // namespace bombard
