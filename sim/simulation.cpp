#include "sim/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
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
#include "sim/layer_output.hpp"
#include "sim/preparation.hpp"
#include "sim/progress.hpp"
#include "sim/ranks/engine_of_ranks.hpp"

namespace bombard {

namespace {

/// What is taken from the layer besides options.keep_layer.
struct LayerUse {
  bool whole_of_each = false, pieces_of_each = false, pieces_of_last = false;
  bool of_each() const { return whole_of_each || pieces_of_each; }
};

/// Rank 0's observer says it for all.
LayerUse use_of_layer(const SimulationOptions& options, const SimulationObserver& observer) {
  LayerUse use{observer.after_storm || !options.cells_at.empty() || options.peaks > 0,
               static_cast<bool>(observer.layer_pieces),
               static_cast<bool>(observer.last_layer_pieces)};
  broadcast(*options.communicator, use);
  return use;
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

/// Takes from the layer what was asked for after each storm, on rank 0.
void take_from_layer(EngineOfRanks& engine, const SimulationOptions& options,
                     const LayerSink& after_storm, std::vector<StormResult>& results) {
  const LayerQuestion question{options.cells_at, options.peaks};
  const auto take = [&](LayerAnswer answer) {
    results.back().cells = std::move(answer.cells);
    results.back().peaks = std::move(answer.peaks);
  };
  if (engine.dense() == nullptr) return take(engine.answer(question));
  const Layer layer = engine.layer();
  if (!options.communicator->is_first()) return;
  take(answer(question, view_of(layer)));
  if (after_storm) after_storm(results.back(), view_of(layer));
}

/// Memory for a copy of the layer, where rank 0 needs it, or of a rank's slab.
std::int64_t bytes_of_copy(const SimulationOptions& options, const LayerUse& use,
                           Precision precision) {
  const bool whole = options.communicator->is_first() && (options.keep_layer || use.whole_of_each);
  return (whole ? options.cells : cells_of_a_rank(options)) * bytes_of_cell(precision);
}

/// Everything but the engine itself; it is chosen, told to the observer, and asked for the layers
/// that are wanted.
Preparation prepare_engine(const SimulationOptions& options, const SimulationObserver& observer,
                           const LayerUse& use) {
  Preparation prepared = prepare(options, [&](const Preparation& chosen) {
    if (observer.selected) observer.selected(plan_of(options, chosen));
    require_layer(options, observer, *chosen.selection.engine);
    require_memory_for_cells(options, chosen.workload.storms);
  });
  if (options.keep_layer || use.of_each() || use.pieces_of_last) {
    const EngineEntry& entry = *prepared.selection.engine;
    EngineOptions& of_engine = prepared.engine_options;
    of_engine.keep_layer = true;
    of_engine.bytes_beside = bytes_of_copy(options, use, entry.precision);
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
  result.edition = static_cast<int>(options.settings.rule.edition);
  result.attenuation = name_of(options.settings.rule.attenuation);
  result.threshold = options.settings.rule.threshold;
  result.start_seconds = prepared.start_seconds;
  result.storms.reserve(static_cast<std::size_t>(prepared.workload.storms));
  return result;
}

/// Storms that all ranks take next, as rank 0 says; none after the last, or when it is to stop.
std::int64_t count_of_next(const SimulationOptions& options, const Preparation& prepared,
                           const LayerUse& use, const StopQuestion& stop) {
  std::int64_t count = 0;
  if (options.communicator->is_first()) {
    const std::span<const std::int64_t> left = prepared.storms->left();
    const bool first = left.size() == static_cast<std::size_t>(prepared.workload.storms);
    if (!left.empty() && (first || !stop || !stop())) {
      count = use.of_each() ? 1
                            : static_cast<std::int64_t>(storms_in_batch(
                                  prepared.selection, cells_of_a_rank(options), left));
    }
  }
  broadcast(*options.communicator, count);
  return count;
}

/// A batch of storms: their results, and how long it took until all ranks had the impacts, and
/// then.
struct AppliedBatch {
  std::vector<StormResult> results;  ///< on rank 0
  double sharing_seconds = 0, seconds = 0;
  std::int64_t impacts = 0, bytes_moved = 0;
};

AppliedBatch apply_next(EngineOfRanks& engine, const SimulationOptions& options,
                        const Preparation& prepared, std::int64_t count) {
  const bool first = options.communicator->is_first();
  std::vector<Storm> batch;
  std::vector<std::string> files;  // those that all ranks read
  if (first) {
    const auto of_batch = prepared.storms->files_left().first(static_cast<std::size_t>(count));
    if (prepared.ranks_read) files.assign(of_batch.begin(), of_batch.end());
    batch = prepared.storms->take(static_cast<std::size_t>(count));
  }
  AppliedBatch applied;
  const std::int64_t moved_before = options.communicator->bytes_moved();
  const WallTimer sharing;
  const std::vector<WholeStorm> shared = engine.share(batch, files, count);
  applied.sharing_seconds = sharing.seconds();
  const WallTimer computing;
  const std::vector<Maximum> maxima = engine.apply_shared();
  applied.seconds = computing.seconds();
  applied.bytes_moved = options.communicator->bytes_moved() - moved_before;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    applied.results.push_back({.file = batch[i].name,
                               .impacts = shared[i].impacts,
                               .maximum = maxima.at(i),
                               .impacts_outside = shared[i].outside});
    applied.impacts += shared[i].impacts;
  }
  return applied;
}

/// The layer after the last storm, to whom it was promised.
void hand_over_layer(const EngineOfRanks& engine, const SimulationOptions& options,
                     const SimulationObserver& observer, const LayerUse& use,
                     SimulationResult& result) {
  if (use.pieces_of_last) {
    LayerOutput last(*options.communicator, engine, observer.last_layer_pieces,
                     options.last_layer_place);
    last.write_layer();
    last.close();
  }
  if (!options.keep_layer) return;
  Layer layer = engine.layer();
  if (auto* const single = std::get_if<std::vector<float>>(&layer)) {
    result.layer = std::move(*single);
  } else {
    result.layer_in_double = std::get<std::vector<double>>(std::move(layer));
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
  const LayerUse use = use_of_layer(options, observer);
  Preparation prepared = prepare_engine(options, observer, use);
  SimulationResult result = result_before_storms(options, prepared);

  const ProfilingRange range("simulation");  // tools/profile selects kernels by this name
  const auto waited = [&] { return prepared.storms ? prepared.storms->waited_seconds() : 0; };
  const double waited_before = waited();
  double aside_seconds = 0, sharing_seconds = 0;
  const WallTimer simulation;
  std::optional<ProgressMeter> meter;
  if (observer.progress) {
    prepared.engine_options.worked = [&](double interactions) { meter->within(interactions); };
  }
  EngineOfRanks engine = make_engine(options, prepared);
  result.ranks = engine.places();
  if (options.initial_path) engine.begin_with(view_of(std::exchange(prepared.initial, {})));
  LayerOutput layers(*options.communicator, engine, observer.layer_pieces, options.layers_place);
  meter.emplace(prepared.workload, prepared.selection.seconds, observer.progress);
  while (const std::int64_t count = count_of_next(options, prepared, use, observer.stop)) {
    const ProfilingRange batch_range("batch of storms");
    AppliedBatch applied = apply_next(engine, options, prepared, count);
    sharing_seconds += applied.sharing_seconds;
    result.bytes_moved += applied.bytes_moved;
    result.batches.push_back({count, applied.seconds});
    const WallTimer aside;
    std::ranges::move(applied.results, std::back_inserter(result.storms));
    if (use.pieces_of_each) layers.write_layer();
    if (use.whole_of_each) {
      take_from_layer(engine, options, observer.after_storm, result.storms);
    }
    aside_seconds += aside.seconds();
    meter->done(count, applied.impacts);
  }
  if (prepared.storms) {
    result.storms_left = static_cast<std::int64_t>(prepared.storms->left().size());
  }
  // Until every rank has the impacts that it needs is until they are read.
  result.reading_seconds = waited() + sharing_seconds;
  result.simulation_seconds =
      simulation.seconds() - aside_seconds - sharing_seconds - (waited() - waited_before);
  add_evidence(engine, result.storms);
  layers.close();
  hand_over_layer(engine, options, observer, use, result);
  result.total_seconds = total.seconds();
  return result;
}

}  // namespace bombard
