#include "sim/simulation.hpp"

#include <memory>
#include <span>

#include "kernels/host_memory.hpp"
#include "kernels/profiling_range.hpp"
#include "kernels/timer.hpp"
#include "sim/engines.hpp"
#include "sim/preparation.hpp"
#include "sim/progress.hpp"

namespace bombard {

namespace {

// Storms are applied in batches of about this long: short enough to report progress, long enough
// that an engine that fuses several storms has several to fuse.
constexpr double batch_seconds = 0.5;

std::size_t storms_in_batch(const EngineEntry& engine, std::int64_t cells,
                            std::span<const Storm> storms) {
  double seconds = 0;
  std::size_t count = 0;
  for (const Storm& storm : storms) {
    seconds +=
        estimated_seconds(engine, {cells, static_cast<std::int64_t>(storm.impacts.size()), 1});
    if (count > 0 && seconds > batch_seconds) break;
    ++count;
  }
  return count;
}

}  // namespace

SimulationResult simulate(const SimulationOptions& options, const ProgressSink& progress,
                          const SelectionSink& selected) {
  const WallTimer total;
  const Preparation prepared = prepare(options, selected);
  const EngineEntry& entry = *prepared.selection.engine;
  const std::span<const Storm> storms = prepared.storms;
  if (options.keep_layer) {
    require_host_memory(options.cells * static_cast<std::int64_t>(sizeof(float)),
                        "a copy of the final layer");
  }

  SimulationResult result{};
  result.engine = entry.name;
  result.device = prepared.selection.device_name;
  result.cells = options.cells;
  result.reading_seconds = prepared.reading_seconds;
  result.start_seconds = prepared.start_seconds;
  result.storms.reserve(storms.size());

  const ProfilingRange range("simulation");  // tools/profile selects kernels by this name
  const WallTimer simulation;
  const std::unique_ptr<Engine> engine = entry.make(prepared.engine_options);
  ProgressMeter meter(prepared.storms, options.cells,
                      estimated_seconds(entry, {options.cells, total_impacts(prepared.storms),
                                                static_cast<std::int64_t>(storms.size())}),
                      progress);
  for (std::span<const Storm> rest = storms; !rest.empty();) {
    const ProfilingRange batch_range("batch of storms");
    const auto batch = rest.first(storms_in_batch(entry, options.cells, rest));
    const std::vector<Maximum> maxima = engine->apply(batch);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      result.storms.push_back(
          {batch[i].name, static_cast<std::int64_t>(batch[i].impacts.size()), maxima.at(i)});
    }
    meter.done(batch);
    rest = rest.subspan(batch.size());
  }
  result.simulation_seconds = simulation.seconds();
  if (options.keep_layer) result.layer = engine->layer();
  result.total_seconds = total.seconds();
  return result;
}

}  // namespace bombard
