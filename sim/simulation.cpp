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
#include "kernels/base/stoppable_work.hpp"
#include "kernels/base/timer.hpp"
#include "kernels/device/device.hpp"
#include "sim/checks.hpp"
#include "sim/engines/engines.hpp"
#include "sim/engines/screened/cell_ranges.hpp"
#include "sim/preparation.hpp"
#include "sim/progress.hpp"
#include "sim/ranks/engine_of_ranks.hpp"
#include "sim/ranks/slab.hpp"

namespace bombard {

namespace {

/// Asks for memory for the cells of each storm's layer that the results keep until the end.
void require_memory_for_cells(const Preparation& prepared) {
  const std::int64_t kept = prepared.peaks + cells_in(prepared.cells);
  if (kept == 0) return;
  require_host_memory(
      byte_count({prepared.plan.storms, kept, sizeof(CellValue)}),
      fmt::format("what {} and {} show", named(Setting::cells_at), named(Setting::peaks)));
}

/// Takes from the layer what is shown after each storm, on rank 0.
void take_from_layer(const EngineOfRanks& engine, const Preparation& prepared,
                     const LayerSink& after_storm, std::vector<StormResult>& results) {
  if (Engine* const sparse = engine.sparse()) {
    results.back().cells = sparse->values_at(prepared.cells);
    results.back().peaks = sparse->highest_peaks(prepared.peaks);
    return;
  }
  const Layer layer = engine.layer();
  if (results.empty()) return;  // not on rank 0
  results.back().cells = values_at(view_of(layer), prepared.cells);
  results.back().peaks = highest_peaks(view_of(layer), prepared.peaks);
  if (after_storm) after_storm(results.back(), view_of(layer));
}

/// The number of storms that all ranks take next, as rank 0 decides; 0 after the last one, or when
/// the run is to stop.
std::int64_t count_of_next(Communicator& ranks, const Preparation& prepared,
                           const AskedOfRanks& asked, const StopQuestion& stop) {
  std::int64_t count = 0;
  if (ranks.is_first()) {
    const std::span<const std::int64_t> left = prepared.storms->left();
    const bool first = left.size() == static_cast<std::size_t>(prepared.plan.storms);
    if (!left.empty() && (first || !stop || !stop())) {
      count = asked.of_each()
                  ? 1
                  : static_cast<std::int64_t>(storms_in_batch(prepared.plan, ranks.ranks(), left,
                                                              prepared.storms->most_ahead()));
    }
    if (asked.told) {
      count = static_cast<std::int64_t>(prepared.storms->ready(static_cast<std::size_t>(count)));
    } else if (count > 0) {
      prepared.storms->wait_for(static_cast<std::size_t>(count));
    }
  }
  broadcast(ranks, count);
  return count;
}

/// Applies the next batch of storms, and adds it to the result. Returns the seconds until all ranks
/// had the impacts.
double apply_next(EngineOfRanks& engine, const Communicator& ranks, const Preparation& prepared,
                  std::int64_t count, SimulationResult& result) {
  std::vector<Storm> batch;
  if (ranks.is_first()) batch = prepared.storms->take(static_cast<std::size_t>(count));
  const std::int64_t moved_before = ranks.bytes_moved();
  const WallTimer sharing;
  const std::vector<WholeStorm> shared = engine.share(batch, count);
  const double sharing_seconds = sharing.seconds();
  const WallTimer computing;
  const std::vector<Maximum> maxima = engine.apply_shared();
  result.batches.push_back({count, computing.seconds()});
  result.bytes_moved += ranks.bytes_moved() - moved_before;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    result.storms.push_back({.file = batch[i].name,
                             .impacts = shared[i].impacts,
                             .maximum = maxima.at(i),
                             .impacts_outside = shared[i].outside});
  }
  return sharing_seconds;
}

/// Thrown where a batch of storms is given up.
struct Stopped {};

/// Whether a run may be stopped within a batch of storms, which is then lost; `impacts` are those
/// of its first storm, and `kept` gets the layer before it where the last one is wanted. The run
/// goes on to the end of the batch on a GPU, in several ranks, and where the layer's copy would
/// take much of the memory or take as long as the storms.
bool may_stop_within(const EngineOfRanks& engine, const AskedOfRanks& asked, const Plan& plan,
                     std::int64_t impacts, std::optional<Layer>& kept) {
  if (!asked.of_last()) return true;
  constexpr double long_seconds = 1;  // storms that are taken together are short ones
  const std::int64_t bytes = plan.cells * bytes_of_cell(plan.precision);
  const Workload first{plan.cells, impacts, 1, plan.rule.attenuation};
  const bool is_long = engine_of(plan).seconds(first, plan.speed).of_all_arithmetic > long_seconds;
  if (!is_long || bytes > available_host_memory() / 4) return false;
  kept = engine.layer();
  return true;
}

/// Reports the results of a batch of storms, from number `first` on.
void tell(const EngineOfRanks& engine, const StormSink& sink, std::size_t first,
          std::vector<StormResult>& results) {
  add_evidence(engine, results);
  for (const StormResult& storm : std::span(results).subspan(std::min(first, results.size()))) {
    sink(storm);
  }
}

/// Hands over the layer after the last storm, or the one before a lost storm, as was asked for.
void hand_over_layer(const EngineOfRanks& engine, const AskedOfRanks& asked,
                     const LayerPieceSink& pieces, std::optional<Layer> kept,
                     SimulationResult& result) {
  if (asked.pieces_of_last && kept) {
    pieces(view_of(*kept));
  } else if (asked.pieces_of_last) {
    engine.give_layer(pieces);
  }
  if (!asked.kept) return;
  Layer layer = kept ? *std::move(kept) : engine.layer();
  if (auto* const single = std::get_if<std::vector<float>>(&layer)) {
    result.layer = std::move(*single);
  } else {
    result.layer_in_double = std::get<std::vector<double>>(std::move(layer));
  }
}

}  // namespace

std::size_t storms_in_batch(const Plan& plan, int ranks, std::span<const std::int64_t> left,
                            std::int64_t most_impacts) {
  // Progress is reported after each batch, and an engine that fuses storms still gets several to
  // fuse.
  constexpr double batch_seconds = 0.5;
  const EngineEntry& engine = engine_of(plan);
  const std::int64_t cells = slab_of_rank(0, ranks, plan.cells).count();
  double seconds = 0;
  std::int64_t impacts = 0;
  std::size_t count = 0;
  for (const std::int64_t of_storm : left) {
    seconds += engine.seconds({cells, of_storm, 1}, plan.speed).of_few_candidates;
    impacts += of_storm;
    const bool full = seconds > batch_seconds || impacts > most_impacts;
    if (count > 0 && full) break;
    ++count;
  }
  return count;
}

Plan plan_of_run(const RunOptions& options, const SimulationObserver& observer,
                 const Communicator& ranks, bool is_validation) {
  const cuda::CallersDevice callers;
  AskedOfRanks asked = asked_of(options, observer);
  asked.compared = is_validation;
  return planned(options, ranks, asked).plan;
}

SimulationResult simulate(const RunOptions& options, const SimulationObserver& observer,
                          Communicator& ranks) {
  const WallTimer total;
  const cuda::CallersDevice callers;
  AskedOfRanks asked = asked_of(options, observer);
  broadcast(ranks, asked);
  Preparation prepared = prepare(options, ranks, asked, observer.begin);
  require_memory_for_cells(prepared);
  SimulationResult result{};
  result.plan = prepared.plan;
  result.start_seconds = prepared.start_seconds;
  result.storms.reserve(static_cast<std::size_t>(prepared.plan.storms));

  const ProfilingRange range("simulation");  // tools/profile selects kernels by this name
  const auto waited = [&] { return prepared.storms ? prepared.storms->waited_seconds() : 0; };
  const double waited_before = waited();
  double aside_seconds = 0, sharing_seconds = 0;
  const WallTimer simulation;
  std::optional<Layer> kept;  // before a batch that was lost
  EngineOfRanks engine(ranks, engine_of(prepared.plan), prepared.engine_options);
  result.ranks = engine.places();
  if (options.initial_path) engine.begin_with(view_of(std::exchange(prepared.initial, {})));
  ProgressMeter meter(prepared.plan, [&](const Progress& progress) {
    if (options.settings.interrupt) options.settings.interrupt();
    if (observer.progress) observer.progress(progress);
  });
  while (const std::int64_t count = count_of_next(ranks, prepared, asked, observer.stop)) {
    const ProfilingRange batch_range("batch of storms");
    const std::size_t storms_before = result.storms.size();
    try {
      const bool stops =
          observer.stop && ranks.is_alone() && !prepared.plan.on_gpu &&
          may_stop_within(engine, asked, prepared.plan, prepared.storms->left().front(), kept);
      const StoppableWork work([&](double interactions) {
        // The others have slabs of the same size.
        meter.within(interactions * ranks.ranks());
        if (stops && observer.stop()) throw Stopped{};
      });
      sharing_seconds += apply_next(engine, ranks, prepared, count, result);
    } catch (const Stopped&) {
      break;
    }
    kept.reset();
    const WallTimer aside;
    if (asked.pieces_of_each) engine.give_layer(observer.layer_pieces);
    if (asked.cells_of_each || asked.whole_of_each) {
      take_from_layer(engine, prepared, observer.after_storm, result.storms);
    }
    if (asked.told) tell(engine, observer.storm, storms_before, result.storms);
    aside_seconds += aside.seconds();
    std::int64_t impacts = 0;
    for (const StormResult& storm : std::span(result.storms).subspan(storms_before)) {
      impacts += storm.impacts;
    }
    meter.done(count, impacts);
  }
  if (ranks.is_first()) {
    result.storms_left = prepared.plan.storms - static_cast<std::int64_t>(result.storms.size());
  }
  // Impacts count as read only when every rank has those that it needs.
  result.reading_seconds = waited() + sharing_seconds;
  result.simulation_seconds =
      simulation.seconds() - aside_seconds - sharing_seconds - (waited() - waited_before);
  add_evidence(engine, result.storms);
  hand_over_layer(engine, asked, observer.last_layer_pieces, std::move(kept), result);
  result.total_seconds = total.seconds();
  return result;
}

}  // namespace bombard
