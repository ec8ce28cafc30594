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
#include "sim/processor.hpp"
#include "sim/ranks/engine_of_ranks.hpp"
#include "sim/ranks/slab.hpp"

namespace bombard {

namespace {

// With this bound 64 bits count the bytes of a layer: an engine keeps less than 2^7 per cell.
constexpr std::int64_t most_cells = std::int64_t{1} << 56;

/// The layer that the first storm falls on, in the engine's precision.
Layer initial_layer(const SimulationOptions& options, const EngineEntry& engine) {
  const std::string& path = *options.initial_path;
  if (engine.method == Method::sparse) {
    throw InputError(fmt::format(
        "--initial is a layer, and {} stores none; take --method direct or fast", engine.name));
  }
  require_host_memory(byte_count({options.cells, sizeof(double)}), "the initial layer");
  Layer layer = read_layer(path, options.cells);
  const auto* const single = std::get_if<std::vector<float>>(&layer);
  if (engine.precision == Precision::binary64 && single != nullptr) {
    return std::vector<double>(single->begin(), single->end());
  }
  if (engine.precision == Precision::binary32 && single == nullptr) {
    throw InputError(fmt::format(
        "{}: holds float64, and single precision begins with float32; take --precision double, or "
        "write it as float32 if the digits behind may go",
        path));
  }
  return layer;
}

/// Whether every rank reads a part of each file: where every rank does not need all impacts.
bool ranks_read(const SimulationOptions& options) {
  if (options.communicator->is_alone() || options.whole_storms) return false;
  const EngineEntry* const engine = find_engine(options.settings.engine);
  const Precision asked = options.settings.precision.value_or(Precision::binary32);
  return (engine != nullptr ? engine->precision : asked) == Precision::binary64;
}

/// The reading has begun and the engine is chosen.
Preparation choose(const SimulationOptions& options) {
  check_cells(options.cells);
  Preparation prepared;
  prepared.ranks_read = ranks_read(options);
  prepared.storms = std::make_unique<StormStream>(
      options.storm_paths, StormStream::most_ahead_by_default,
      prepared.ranks_read ? StormStream::reads_only_once() : StormStream::default_reader());
  Workload& workload = prepared.workload;
  workload = {options.cells, prepared.storms->impacts(), prepared.storms->storms(),
              options.settings.rule.attenuation};
  workload.stored_layer = options.stored_layer || options.initial_path.has_value() ||
                          !options.communicator->is_alone() ||
                          shares_end_amid_many(options.settings.rule, workload);
  SimulationSettings& settings = prepared.settings = options.settings;
  settings.threads = threads_of_a_rank(options);
  Workload of_a_rank = prepared.workload;
  of_a_rank.cells = cells_of_a_rank(options);
  prepared.selection = select_engine(settings, of_a_rank);
  check_attenuation(options.settings.rule.attenuation, *prepared.selection.engine);
  return prepared;
}

/// What rank 0 has chosen becomes what all have: what an engine is made of.
void broadcast_choice(Communicator& ranks, Preparation& prepared) {
  struct Choice {
    std::int64_t engine;  ///< of engines()
    int device;
    ProcessorSpeed speed;
    Workload workload;
  };
  Selection& selection = prepared.selection;
  Choice choice{ranks.is_first() ? selection.engine - engines().data() : 0, selection.device,
                selection.speed, prepared.workload};
  broadcast(ranks, choice);
  selection.engine = &engines()[static_cast<std::size_t>(choice.engine)];
  selection.device = choice.device;
  selection.speed = choice.speed;
  prepared.workload = choice.workload;
}

/// Of the devices of its machine the one of this rank.
int device_of_rank(const Communicator& ranks, int of_rank_0) {
  // The driver takes its time to say so.
  static const int devices = std::max(1, static_cast<int>(cuda::devices().size()));
  return (of_rank_0 + ranks.rank_on_host()) % devices;
}

}  // namespace

void check_cells(std::int64_t cells) {
  if (cells < 1) {
    throw InputError(
        fmt::format("a layer of {} cells is not possible; it needs 1 cell or more", cells));
  }
  if (cells > most_cells) {
    throw CannotRun(fmt::format(
        "a layer of {} cells needs {:.0f} GB, but {:.1f} GB are free; take fewer cells", cells,
        4e-9 * static_cast<double>(cells), 1e-9 * static_cast<double>(available_host_memory())));
  }
}

void check_attenuation(const Attenuation& attenuation, const EngineEntry& engine) {
  if (engine.precision == Precision::binary64 || GeneralLaw::of(attenuation)) return;
  throw InputError(
      fmt::format("--attenuation {} cannot be computed in single precision, as {} does; it is {}",
                  name_of(attenuation), engine.name, attenuations_there_are));
}

int threads_of_a_rank(const SimulationOptions& options) {
  return options.settings.threads > 0 ? options.settings.threads : options.communicator->threads();
}

std::int64_t cells_of_a_rank(const SimulationOptions& options) {
  return slab_of_rank(0, options.communicator->ranks(), options.cells).count();
}

EngineOfRanks make_engine(const SimulationOptions& options, const Preparation& prepared) {
  return {*options.communicator, *prepared.selection.engine, prepared.engine_options};
}

RunPlan plan_of(const SimulationOptions& options, const Preparation& prepared) {
  const Workload& workload = prepared.workload;
  const Selection& selection = prepared.selection;
  const EngineEntry& engine = *selection.engine;
  const double bytes_per_cell =
      engine.host_bytes_per_cell +
      (options.keep_layer ? static_cast<double>(bytes_of_cell(engine.precision)) : 0);
  const double bytes = bytes_per_cell * static_cast<double>(workload.cells) +
                       engine.host_bytes_per_impact * static_cast<double>(workload.impacts);
  RunPlan plan{.cells = workload.cells,
               .impacts = workload.impacts,
               .storms = workload.storms,
               .engine = engine.name,
               .method = name_of(engine.method),
               .precision = name_of(engine.precision),
               .on_gpu = engine.on_device,
               .device = selection.device_name,
               .reason = selection.reason,
               .cores = processor().cores,
               .seconds = selection.seconds + (engine.on_device ? cuda::start_seconds : 0),
               .host_bytes = static_cast<std::int64_t>(bytes),
               .quicker = {}};
  if (plan.seconds > RunPlan::seconds_worth_telling) {
    plan.quicker = quicker_ways(prepared.settings, workload, selection);
  }
  return plan;
}

RunPlan plan_run(const SimulationOptions& options) {
  return plan_of(options, choose(options));
}

Preparation prepare(const SimulationOptions& options, const ChoiceSink& chosen) {
  Communicator& ranks = *options.communicator;
  Preparation prepared;
  if (ranks.is_first()) {
    prepared = choose(options);
    if (chosen) chosen(prepared);
    if (options.initial_path) {
      prepared.initial = initial_layer(options, *prepared.selection.engine);
    }
  }
  broadcast_choice(ranks, prepared);
  const EngineEntry& engine = *prepared.selection.engine;
  prepared.engine_options = {
      .part = whole_layer(options.cells),
      .storms = prepared.workload.storms,
      .rule = options.settings.rule,
      .keep_layer = options.keep_layer,
      .threads = options.settings.threads,
      .speed_of_interactions = prepared.selection.speed.of_interactions_to_passes(),
      .device = prepared.selection.device,
      .reduction = options.settings.reduction};
  if (engine.on_device) {
    const WallTimer starting;
    int& device = prepared.engine_options.device;
    if (!ranks.is_alone()) device = device_of_rank(ranks, device);
    engine.start_device(device, options.settings.rule, options.cells);
    ranks.meet();
    prepared.start_seconds = starting.seconds();
  }
  return prepared;
}

}  // namespace bombard
