#include "sim/preparation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "bombard/errors.hpp"
#include "inputs/byte_count.hpp"
#include "kernels/base/host_memory.hpp"
#include "kernels/base/timer.hpp"
#include "kernels/device/device.hpp"
#include "sim/checks.hpp"

namespace bombard {

namespace {

/// The layer that the first storm falls on, in the engine's precision.
Layer initial_layer(const RunOptions& options, const Plan& plan) {
  const std::string& path = *options.initial_path;
  if (plan.method == Method::sparse) {
    throw InputError(fmt::format(
        "--initial is a layer, and {} stores none; take --method direct or fast", plan.engine));
  }
  require_host_memory(byte_count({options.cells, sizeof(double)}), "the initial layer");
  Layer layer = read_layer(path, options.cells);
  const auto* const single = std::get_if<std::vector<float>>(&layer);
  if (plan.precision == Precision::binary64 && single != nullptr) {
    return std::vector<double>(single->begin(), single->end());
  }
  if (plan.precision == Precision::binary32 && single == nullptr) {
    throw InputError(fmt::format(
        "{}: holds float64, and single precision begins with float32; take --precision double, or "
        "write it as float32 if the digits behind may go",
        path));
  }
  return layer;
}

/// Whether every rank reads a part of each file: where every rank does not need all impacts.
bool ranks_read(const RunOptions& options, const Ranks& ranks, const LayerUse& use) {
  if (ranks.communicator->is_alone() || use.compared) return false;
  const EngineEntry* const engine = find_engine(options.settings.engine);
  const Precision asked = options.settings.precision.value_or(Precision::binary32);
  return (engine != nullptr ? engine->precision : asked) == Precision::binary64;
}

/// What rank 0 has planned becomes what all have: what an engine is made of.
void broadcast_plan(Communicator& ranks, Plan& plan) {
  struct Choice {
    std::int64_t engine;  ///< of engines()
    std::int64_t storms;
    int gpu;
    ProcessorSpeed speed;
  };
  Choice choice{ranks.is_first() ? &engine_of(plan) - engines().data() : 0, plan.storms, plan.gpu,
                plan.speed};
  broadcast(ranks, choice);
  if (ranks.is_first()) return;
  const EngineEntry& engine = engines()[static_cast<std::size_t>(choice.engine)];
  plan.engine = engine.name;
  plan.method = engine.method;
  plan.precision = engine.precision;
  plan.on_gpu = engine.on_device;
  plan.storms = choice.storms;
  plan.gpu = choice.gpu;
  plan.speed = choice.speed;
}

/// Of the devices of its machine the one of this rank.
int device_of_rank(const Communicator& ranks, int of_rank_0) {
  // The driver takes its time to say so.
  static const int devices = std::max(1, static_cast<int>(cuda::devices().size()));
  return (of_rank_0 + ranks.rank_on_host()) % devices;
}

}  // namespace

LayerUse use_of_layer(const RunOptions& options, const SimulationObserver& observer) {
  return {.cells_of_each = !options.cells_at.empty() || options.peaks > 0,
          .whole_of_each = static_cast<bool>(observer.after_storm),
          .pieces_of_each = static_cast<bool>(observer.layer_pieces),
          .pieces_of_last = static_cast<bool>(observer.last_layer_pieces)};
}

Preparation planned(const RunOptions& options, const Ranks& ranks, const LayerUse& use) {
  check(options.settings, options.cells);
  check_peaks(options.peaks);
  Preparation prepared;
  prepared.shown = {ranges_of(options.cells_at, options.cells),
                    std::min(options.peaks, options.cells)};
  prepared.ranks_read = ranks_read(options, ranks, use);
  prepared.storms = std::make_unique<StormStream>(
      options.storm_paths, StormStream::most_ahead_by_default,
      prepared.ranks_read ? StormStream::reads_only_once() : StormStream::default_reader());
  SimulationSettings settings = options.settings;
  Workload workload{options.cells, prepared.storms->impacts(), prepared.storms->storms(),
                    settings.rule.attenuation};
  workload.stored_layer = options.keep_layer || settings.exact_layer || use.needs_layer() ||
                          options.initial_path || shares_end_amid_many(settings.rule, workload);
  settings.exact_layer |= use.cells_of_each;
  if (settings.threads == 0) settings.threads = ranks.communicator->threads();
  prepared.plan = make_plan(settings, workload, ranks.communicator->ranks());
  if (options.keep_layer) {
    prepared.plan.host_bytes += options.cells * bytes_of_cell(prepared.plan.precision);
  }
  return prepared;
}

Preparation prepare(const RunOptions& options, const Ranks& ranks, const LayerUse& use,
                    const PlanSink& selected) {
  Communicator& communicator = *ranks.communicator;
  Preparation prepared;
  Plan& plan = prepared.plan;
  if (communicator.is_first()) {
    prepared = planned(options, ranks, use);
    if (selected) selected(plan);
    if (options.initial_path) prepared.initial = initial_layer(options, plan);
  } else {
    plan.cells = options.cells;
    plan.rule = options.settings.rule;
  }
  broadcast_plan(communicator, plan);
  prepared.engine_options = engine_options(plan, options.settings);
  prepared.engine_options.keep_layer = options.keep_layer || use.needs_layer() || use.cells_of_each;
  if (plan.on_gpu) {
    const WallTimer starting;
    int& device = prepared.engine_options.device;
    if (!communicator.is_alone()) device = device_of_rank(communicator, device);
    engine_of(plan).start_device(device, plan.rule, plan.cells);
    communicator.meet();
    prepared.start_seconds = starting.seconds();
  }
  // The engine asks for what the first storm leaves of the memory.
  if (prepared.storms && plan.storms > 0) prepared.storms->wait_for(1);
  return prepared;
}

}  // namespace bombard
