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
#include "sim/ranks/slab.hpp"
#include "sim/reference_double.hpp"

namespace bombard {

namespace {

/// The layer that the first storm falls on, in the engine's precision.
Layer initial_layer(const RunOptions& options, const Plan& plan) {
  const std::string& path = *options.initial_path;
  require_host_memory(byte_count({options.cells, sizeof(double)}), "the initial layer");
  Layer layer = read_layer(path, options.cells);
  const auto* const single = std::get_if<std::vector<float>>(&layer);
  if (plan.precision == Precision::binary64 && single != nullptr) {
    return std::vector<double>(single->begin(), single->end());
  }
  if (plan.precision == Precision::binary32 && single == nullptr) {
    throw InputError(fmt::format(
        "{}: holds float64, and single precision begins with float32; take {}, or write it as "
        "float32 if fewer digits will do",
        path, named(Setting::precision, "double")));
  }
  return layer;
}

/// Some engines have no layer to show, and no digit of a layer that is only near the rule's could
/// be relied on.
void require_layer(const RunOptions& options, const AskedOfRanks& asked, const Plan& plan) {
  if (options.initial_path && plan.method == Method::sparse) {
    throw InputError(fmt::format("{} is a layer, and {} stores none; take {} or fast",
                                 named(Setting::initial), plan.engine,
                                 named(Setting::method, "direct")));
  }
  if (asked.compared && plan.method == Method::sparse) {
    throw InputError(fmt::format(
        "{} stores no layer that could be compared; take {} or fast (its maxima are those of "
        "`bombard run`)",
        plan.engine, named(Setting::method, "direct")));
  }
  if (asked.needs_layer() && plan.method == Method::sparse) {
    throw InputError(fmt::format("{} stores no layer, and {} show it; leave them out, or take {}",
                                 plan.engine, named(Setting::layer),
                                 named(Setting::method, "direct")));
  }
  const bool near_the_rule = plan.precision == Precision::binary32 && plan.method == Method::fast;
  if (asked.cells_of_each && near_the_rule) {
    throw InputError(fmt::format(
        "{} and {} show the rule's layer, and the layer of {} is only near it; take {} or sparse, "
        "or {}",
        named(Setting::cells_at), named(Setting::peaks), plan.engine,
        named(Setting::method, "direct"), named(Setting::precision, "double")));
  }
}

/// Shares rank 0's plan with all ranks: the data that an engine is made from.
void broadcast_plan(Communicator& ranks, Plan& plan) {
  broadcast(ranks, plan.engine);
  broadcast(ranks, plan.storms);
  broadcast(ranks, plan.gpu);
  broadcast(ranks, plan.speed);
  const EngineEntry& engine = engine_of(plan);
  plan.method = engine.method;
  plan.precision = engine.precision;
  plan.on_gpu = engine.on_device;
}

/// The device of this rank among the devices of its machine.
int device_of_rank(const Communicator& ranks, int of_rank_0) {
  // The driver takes a while to answer.
  static const int devices = std::max(1, static_cast<int>(cuda::devices().size()));
  return (of_rank_0 + ranks.rank_on_host()) % devices;
}

/// The bytes of a validation besides its engine: the reference and the layers that are compared,
/// which are the engine's, in single precision the reference's, and for a fast engine its
/// uncertainty.
std::int64_t bytes_of_comparison(const Plan& plan, const EngineOptions& options) {
  if (plan.precision == Precision::binary64) {
    return byte_count({plan.cells, sizeof(double) + ReferenceInDouble::bytes_a_cell});
  }
  const std::int64_t layers = plan.method == Method::fast ? 3 : 2;
  return find_engine("reference")->bytes(options) +
         byte_count({plan.cells, layers, bytes_of_cell(plan.precision)});
}

double seconds_of_reference(const Plan& plan) {
  if (plan.precision == Precision::binary32) {
    const Workload work{plan.cells, plan.impacts, plan.storms, plan.rule.attenuation};
    return find_engine("reference")->seconds(work, plan.speed).of_all_arithmetic;
  }
  constexpr double interactions_per_second = 2e8;  // one thread and long double
  return static_cast<double>(plan.cells) * static_cast<double>(plan.impacts) /
         interactions_per_second;
}

/// The options that the plan's engine is made from. Besides the engine there is a copy of the
/// layer, if rank 0 needs one, or of a rank's slab.
EngineOptions options_of_engine(const RunOptions& options, const Communicator& ranks,
                                const AskedOfRanks& asked, const Plan& plan) {
  EngineOptions made = engine_options(plan, options.settings);
  made.keep_layer = asked.needs_layer() || asked.cells_of_each;
  if (!made.keep_layer) return made;
  if (asked.compared && ranks.is_first()) {
    made.bytes_beside = bytes_of_comparison(plan, made);
    return made;
  }
  const bool whole = ranks.is_first() && (asked.kept || asked.cells_of_each || asked.whole_of_each);
  const std::int64_t cells = slab_of_rank(0, whole ? 1 : ranks.ranks(), plan.cells).count();
  made.bytes_beside = cells * bytes_of_cell(plan.precision);
  return made;
}

/// The bytes of impacts that are read or wait for the engine.
std::int64_t bytes_of_reading(const StormStream& storms) {
  const std::int64_t largest = storms.left().empty() ? 0 : std::ranges::max(storms.left());
  const std::int64_t at_once = 2 * std::max(largest, StormStream::most_ahead_by_default);
  return std::min(storms.impacts(), at_once) * static_cast<std::int64_t>(sizeof(Impact));
}

}  // namespace

AskedOfRanks asked_of(const RunOptions& options, const SimulationObserver& observer) {
  return {.kept = options.keep_layer,
          .cells_of_each = !options.cells_at.empty() || options.peaks > 0,
          .whole_of_each = static_cast<bool>(observer.after_storm),
          .pieces_of_each = static_cast<bool>(observer.layer_pieces),
          .pieces_of_last = static_cast<bool>(observer.last_layer_pieces),
          .told = static_cast<bool>(observer.storm)};
}

Preparation planned(const RunOptions& options, const Communicator& ranks,
                    const AskedOfRanks& asked) {
  check_peaks(options.peaks);
  Preparation prepared;
  prepared.cells = ranges_of(options.cells_at, options.cells);
  prepared.peaks = std::min(options.peaks, options.cells);
  prepared.storms = std::make_unique<StormStream>(options.storm_paths);
  SimulationSettings settings = options.settings;
  Workload workload{options.cells, prepared.storms->impacts(), prepared.storms->storms(),
                    settings.rule.attenuation};
  workload.stored_layer = settings.exact_layer || asked.needs_layer() || options.initial_path;
  settings.exact_layer |= asked.cells_of_each;
  if (settings.threads == 0) settings.threads = ranks.threads();
  prepared.plan = make_plan(settings, workload, ranks.ranks());
  Plan& plan = prepared.plan;
  require_layer(options, asked, plan);
  if (asked.compared) {
    const double more = seconds_of_reference(plan);
    plan.seconds += more;
    plan.most_seconds += more;
  }
  prepared.engine_options = options_of_engine(options, ranks, asked, plan);
  const EngineEntry& engine = engine_of(plan);
  EngineOptions of_slab = prepared.engine_options;
  of_slab.part = part_of_layer(slab_of_rank(0, ranks.ranks(), plan.cells), plan.cells);
  const std::int64_t reading = bytes_of_reading(*prepared.storms);
  plan.host_bytes = engine.all_bytes(of_slab, ranks.ranks_on_host()) + reading;
  plan.most_host_bytes = engine.most_bytes(of_slab, ranks.ranks_on_host()) + reading;
  if (!asked.compared) engine.require_memory(of_slab, ranks.ranks_on_host());
  return prepared;
}

Preparation prepare(const RunOptions& options, Communicator& ranks, const AskedOfRanks& asked,
                    const PlanSink& selected) {
  Preparation prepared;
  Plan& plan = prepared.plan;
  if (ranks.is_first()) {
    prepared = planned(options, ranks, asked);
    prepared.storms->wait_for(0);
    if (selected) selected(plan);
    if (options.initial_path) prepared.initial = initial_layer(options, plan);
  } else {
    plan.cells = options.cells;
    plan.rule = options.settings.rule;
  }
  broadcast_plan(ranks, plan);
  prepared.engine_options = options_of_engine(options, ranks, asked, plan);
  if (plan.on_gpu) {
    const WallTimer starting;
    int& device = prepared.engine_options.device;
    if (!ranks.is_alone()) device = device_of_rank(ranks, device);
    cuda::use_device(device);
    ranks.meet();
    prepared.start_seconds = starting.seconds();
  }
  // The engine asks for what the first storm leaves of the memory.
  if (prepared.storms && plan.storms > 0) prepared.storms->ready(1);
  return prepared;
}

}  // namespace bombard
