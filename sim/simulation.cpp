#include "sim/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "bombard/errors.hpp"
#include "inputs/byte_count.hpp"
#include "kernels/base/host_memory.hpp"
#include "kernels/base/profiling_range.hpp"
#include "kernels/base/timer.hpp"
#include "sim/engines/engines.hpp"
#include "sim/engines/layer_view.hpp"
#include "sim/engines/sparse_engine.hpp"
#include "sim/layer_output.hpp"
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

/// With the maximum still to come. `shared` is what the ranks know of it, if they do.
StormResult result_of(const Storm& storm, const WholeStorm* shared, std::int64_t cells) {
  StormResult result{.file = storm.name, .impacts = 0, .maximum = {}};
  if (shared != nullptr) {
    result.impacts = shared->impacts;
    result.impacts_outside = shared->outside;
  } else {
    result.impacts = static_cast<std::int64_t>(storm.impacts.size());
    result.impacts_outside = std::ranges::count_if(storm.impacts, [cells](const Impact& impact) {
      return impact.position < 0 || impact.position >= cells;
    });
  }
  return result;
}

/// Whether something is taken from the whole layer after each storm.
bool shows_each_whole(const SimulationOptions& options, const SimulationObserver& observer) {
  return observer.after_storm || !options.cells_at.empty() || options.peaks > 0;
}

/// Or from its pieces.
bool shows_each_layer(const SimulationOptions& options, const SimulationObserver& observer) {
  return shows_each_whole(options, observer) || observer.layer_pieces;
}

/// Some engines have no layer to show; and of a layer that is only near the rule's no digit could
/// be relied on.
void require_layer(const SimulationOptions& options, const SimulationObserver& observer,
                   const EngineEntry& engine) {
  const bool shown = options.keep_layer || observer.after_storm || observer.layer_pieces ||
                     observer.last_layer_pieces;
  if (shown && engine.method == Method::sparse) {
    throw InputError(
        fmt::format("{} stores no layer, and --layer, --layers, --plot and --report show it; leave "
                    "them out, or take --method direct",
                    engine.name));
  }
  const bool digits_shown = !options.cells_at.empty() || options.peaks > 0;
  if (digits_shown && engine.precision == Precision::binary32 && engine.method == Method::fast) {
    throw InputError(
        fmt::format("--cells-at and --peaks show the rule's layer, and that of {} is only near it; "
                    "take --method direct or sparse, or --precision double",
                    engine.name));
  }
}

/// For what the results keep of each storm's layer until the end.
void require_memory_for_cells(const SimulationOptions& options, std::int64_t storms) {
  std::int64_t kept = options.peaks;
  for (const CellRange& range : options.cells_at) kept += range.count();
  if (kept == 0) return;
  require_host_memory(byte_count({storms, kept, sizeof(CellValue)}),
                      "what --cells-at and --peaks show");
}

/// Takes from the layer what was asked for after each storm.
void take_from_layer(Engine& engine, Precision precision, const SimulationOptions& options,
                     const LayerSink& after_storm, StormResult& storm) {
  if (auto* const sparse = dynamic_cast<SparseEngine*>(&engine)) {
    storm.cells = sparse->values_at(options.cells_at);
    storm.peaks = sparse->highest_peaks(options.peaks);
    return;
  }
  const auto take = [&](const LayerView& layer) {
    storm.cells = values_at(options.cells_at, layer);
    storm.peaks = highest_peaks(layer, options.peaks);
    if (after_storm) after_storm(storm, layer);
  };
  if (precision == Precision::binary64) {
    take(std::span<const double>(engine.layer_in_double()));
  } else {
    take(std::span<const float>(engine.layer()));
  }
}

/// Memory for a copy of the layer, where one is asked for, or of a rank's slab.
std::int64_t bytes_of_copy(const SimulationOptions& options, const SimulationObserver& observer,
                           Precision precision) {
  const bool whole = options.keep_layer || shows_each_whole(options, observer);
  return (whole ? options.cells : cells_of_a_rank(options)) * bytes_of_cell(precision);
}

/// Of the next storms those that all ranks read; none where rank 0 does.
std::vector<std::string> files_to_share(const Preparation& prepared, std::size_t count) {
  if (!prepared.ranks_read) return {};
  const auto files = prepared.storms->files_left().first(count);
  return {files.begin(), files.end()};
}

std::int64_t bytes_moved(const SimulationOptions& options) {
  return options.communicator == nullptr ? 0 : options.communicator->bytes_moved();
}

/// Everything but the engine itself; it is chosen, told to the observer, and asked for the layers
/// that are wanted.
Preparation prepare_engine(const SimulationOptions& options, const SimulationObserver& observer) {
  Preparation prepared = prepare(options, [&](const Preparation& chosen) {
    if (observer.selected) observer.selected(plan_of(options, chosen));
    require_layer(options, observer, *chosen.selection.engine);
    require_memory_for_cells(options, chosen.workload.storms);
  });
  if (options.keep_layer || shows_each_layer(options, observer) || observer.last_layer_pieces) {
    const EngineEntry& entry = *prepared.selection.engine;
    EngineOptions& of_engine = prepared.engine_options;
    of_engine.keep_layer = true;
    of_engine.bytes_beside = bytes_of_copy(options, observer, entry.precision);
    if (entry.on_device) require_host_memory(of_engine.bytes_beside, "a copy of the layer");
  }
  return prepared;
}

/// What is known before the first storm.
SimulationResult result_before_storms(const SimulationOptions& options,
                                      const Preparation& prepared) {
  const EngineEntry& entry = *prepared.selection.engine;
  SimulationResult result{};
  result.engine = entry.name;
  result.method = name_of(entry.method);
  result.precision = name_of(entry.precision);
  result.device = prepared.selection.device_name;
  result.threads = thread_count({.part = {}, .threads = threads_of_a_rank(options)});
  result.cells = options.cells;
  result.edition = static_cast<int>(options.rule.edition);
  result.attenuation = name_of(options.rule.attenuation);
  result.threshold = options.rule.threshold;
  result.start_seconds = prepared.start_seconds;
  result.storms.reserve(static_cast<std::size_t>(prepared.storms->storms()));
  return result;
}

/// What a batch of storms gave, and how long it took until all ranks had its impacts, and then.
struct AppliedBatch {
  std::vector<Maximum> maxima;
  std::vector<WholeStorm> shared;  ///< what ranks know of each storm; none in one process
  double sharing_seconds = 0, seconds = 0;
};

/// `files` are those that all ranks read.
AppliedBatch apply_batch(Engine& engine, const std::vector<Storm>& batch,
                         const std::vector<std::string>& files) {
  AppliedBatch applied;
  auto* const of_ranks = dynamic_cast<EngineOfRanks*>(&engine);
  if (of_ranks != nullptr) {
    const WallTimer sharing;
    applied.shared = of_ranks->share(batch, files);
    applied.sharing_seconds = sharing.seconds();
  }
  const WallTimer computing;
  applied.maxima = of_ranks != nullptr ? of_ranks->apply_shared() : engine.apply(batch);
  applied.seconds = computing.seconds();
  return applied;
}

/// Returns how many impacts the batch had.
std::int64_t add_results(const std::vector<Storm>& batch, const AppliedBatch& applied,
                         std::int64_t cells, std::vector<StormResult>& results) {
  std::int64_t impacts = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    results.push_back(
        result_of(batch[i], applied.shared.empty() ? nullptr : &applied.shared[i], cells));
    results.back().maximum = applied.maxima.at(i);
    impacts += results.back().impacts;
  }
  return impacts;
}

/// The layer after the last storm, to whom it was promised.
void hand_over_layer(Engine& engine, Precision precision, const SimulationOptions& options,
                     const SimulationObserver& observer, SimulationResult& result) {
  if (observer.last_layer_pieces) {
    LayerOutput last(engine, precision, observer.last_layer_pieces, options.last_layer_place);
    last.write_layer();
    last.close();
  }
  if (!options.keep_layer) return;
  if (precision == Precision::binary64) {
    result.layer_in_double = engine.layer_in_double();
  } else {
    result.layer = engine.layer();
  }
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
  Preparation prepared = prepare_engine(options, observer);
  const Precision precision = prepared.selection.engine->precision;
  StormStream& storms = *prepared.storms;
  SimulationResult result = result_before_storms(options, prepared);

  const ProfilingRange range("simulation");  // tools/profile selects kernels by this name
  const double waited_before = storms.waited_seconds();
  double aside_seconds = 0, sharing_seconds = 0;
  const WallTimer simulation;
  std::optional<ProgressMeter> meter;
  if (observer.progress) {
    prepared.engine_options.worked = [&](double interactions) { meter->within(interactions); };
  }
  const std::unique_ptr<Engine> engine = make_engine(options, prepared);
  if (const auto* of_ranks = dynamic_cast<EngineOfRanks*>(engine.get())) {
    result.ranks = of_ranks->places();
  }
  begin_with(*engine, std::exchange(prepared.initial, {}));
  LayerOutput layers(*engine, precision, observer.layer_pieces, options.layers_place);
  meter.emplace(prepared.workload, prepared.selection.seconds, observer.progress);
  while (!storms.left().empty()) {
    const ProfilingRange batch_range("batch of storms");
    const std::size_t count =
        shows_each_layer(options, observer)
            ? 1
            : storms_in_batch(prepared.selection, cells_of_a_rank(options), storms.left());
    const std::vector<std::string> files = files_to_share(prepared, count);
    const std::vector<Storm> batch = storms.take(count);
    const std::int64_t moved_before = bytes_moved(options);
    const AppliedBatch applied = apply_batch(*engine, batch, files);
    sharing_seconds += applied.sharing_seconds;
    result.bytes_moved += bytes_moved(options) - moved_before;
    result.batches.push_back({static_cast<std::int64_t>(batch.size()), applied.seconds});
    const WallTimer aside;
    const std::int64_t impacts = add_results(batch, applied, options.cells, result.storms);
    if (observer.layer_pieces) layers.write_layer();
    if (shows_each_whole(options, observer)) {
      take_from_layer(*engine, precision, options, observer.after_storm, result.storms.back());
    }
    aside_seconds += aside.seconds();
    meter->done(static_cast<std::int64_t>(batch.size()), impacts);
    if (observer.stop && observer.stop()) break;
  }
  result.storms_left = static_cast<std::int64_t>(storms.left().size());
  // Until every rank has the impacts that it needs is until they are read.
  result.reading_seconds = storms.waited_seconds() + sharing_seconds;
  result.simulation_seconds = simulation.seconds() - aside_seconds - sharing_seconds -
                              (storms.waited_seconds() - waited_before);
  add_evidence(*engine, result.storms);
  layers.close();
  hand_over_layer(*engine, precision, options, observer, result);
  result.total_seconds = total.seconds();
  return result;
}

}  // namespace bombard
