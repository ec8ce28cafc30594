#include "sim/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "bombard/errors.hpp"
#include "kernels/base/host_memory.hpp"
#include "kernels/device/device.hpp"
#include "sim/checks.hpp"
#include "sim/processor.hpp"
#include "sim/ranks/slab.hpp"

namespace bombard {

namespace {

/// The names of all engines, or of the engines of a precision.
std::string engine_names(std::optional<Precision> precision = {}) {
  std::string names;
  for (const EngineEntry& entry : engines()) {
    if (precision && entry.precision != *precision) continue;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", entry.name);
  }
  return names;
}

/// The GPU of this number, which `wish` asks for.
cuda::Device gpu_at(int index, const std::string& wish) {
  if (cuda::cuda_part() == nullptr) {
    throw CannotRun(fmt::format(
        "{} needs a GPU, but this build holds no CUDA code; build where nvcc is on the PATH (12.4 "
        "or newer), or choose {}",
        wish, named(Setting::device, "cpu")));
  }
  const std::vector<cuda::Device> devices = cuda::devices();
  const auto found = std::ranges::find(devices, index, &cuda::Device::index);
  if (found != devices.end()) return *found;
  if (devices.empty()) {
    throw CannotRun(
        fmt::format("{} needs a GPU, but this process sees none (no NVIDIA driver, no device, or "
                    "CUDA_VISIBLE_DEVICES hides it); choose {}, or see {}",
                    wish, named(Setting::device, "cpu"), named(Setting::devices)));
  }
  throw CannotRun(
      fmt::format("{} does not exist: this process sees {} GPU{}, numbered from 0; see {}",
                  named(Setting::device, fmt::format("cuda:{}", index)), devices.size(),
                  devices.size() == 1 ? "" : "s", named(Setting::devices)));
}

/// The plan for this engine; without a GPU, on the CPU.
Plan plan_with(const EngineEntry& engine, const cuda::Device* gpu, std::string reason) {
  return {.engine = engine.name,
          .method = engine.method,
          .precision = engine.precision,
          .on_gpu = engine.on_device,
          .gpu = gpu != nullptr ? gpu->index : 0,
          .device = gpu != nullptr ? gpu->name : processor_name(),
          .reason = std::move(reason)};
}

/// The engine asked for by name, which nothing else that was asked for may contradict.
const EngineEntry& engine_asked_for(const SimulationSettings& settings) {
  const EngineEntry* const found = find_engine(settings.engine);
  if (found == nullptr) {
    throw InputError(fmt::format("{} is not an engine; there are {}",
                                 named(Setting::engine, '"' + settings.engine + '"'),
                                 engine_names()));
  }
  const EngineEntry& entry = *found;
  const auto contradicted = [&](const std::string& is, const std::string& wish) {
    throw InputError(fmt::format("{} {}, which {} rules out; leave one of them out",
                                 named(Setting::engine, entry.name), is, wish));
  };
  if (!entry.on_device && settings.device.kind == Device::cuda) {
    contradicted("runs on the CPU", named(Setting::device, "cuda"));
  }
  if (entry.on_device && settings.device.kind == Device::cpu) {
    contradicted("runs on a GPU", named(Setting::device, "cpu"));
  }
  if (settings.method && *settings.method != entry.method) {
    contradicted(fmt::format("is a {} method", name_of(entry.method)),
                 named(Setting::method, name_of(*settings.method)));
  }
  if (settings.precision && *settings.precision != entry.precision) {
    contradicted(fmt::format("computes in {} precision", name_of(entry.precision)),
                 named(Setting::precision, name_of(*settings.precision)));
  }
  return entry;
}

[[noreturn]] void no_engine(const SimulationSettings& settings) {
  const Precision precision = settings.precision.value_or(Precision::binary32);
  throw InputError(fmt::format(
      "no engine{} computes by {} in {}; leave one of them out (in {} precision there are {})",
      settings.device.kind == Device::cuda ? " on a GPU" : "",
      named(Setting::method, settings.method ? name_of(*settings.method) : "auto"),
      named(Setting::precision, name_of(precision)), name_of(precision), engine_names(precision)));
}

/// What the choice of an engine depends on: the wishes, a rank's work, and the CPU.
struct Choice {
  const SimulationSettings& settings;
  Workload workload;
  ProcessorSpeed speed;
  mutable std::optional<std::int64_t> free_memory = {};  ///< of the host, once asked for

  bool keeps_layer() const { return workload.stored_layer || workload.layer_on_request; }

  /// Without the start-up of a GPU.
  Seconds seconds(const EngineEntry& entry) const { return entry.seconds(workload, speed); }
  double likely_seconds(const EngineEntry& entry) const {
    const auto [few, all] = seconds(entry);
    return Plan::is_likely_short(entry.precision, workload.impacts) ? few : all;
  }

  /// Bytes of host memory that an engine would need beyond what is free. Asking how much is free
  /// takes several times as long as a small run.
  std::int64_t missing(const EngineEntry& entry) const {
    constexpr std::int64_t always_there = std::int64_t{1} << 27;
    const std::int64_t needed = entry.bytes({.part = whole_layer(workload.cells),
                                             .storms = workload.storms,
                                             .keep_layer = keeps_layer(),
                                             .impacts = workload.impacts});
    if (needed <= always_there) return 0;
    if (!free_memory) free_memory = available_host_memory();
    return std::max<std::int64_t>(0, needed - *free_memory);
  }

  /// The engine on a GPU or on the CPU that meets the settings, for which there is memory (or that
  /// lacks least), and that is the fastest if few cells can be the maximum: screening takes little
  /// of the time of all the arithmetic, and finds out. Of two that take equally long, the one that
  /// comes first in engines(). Null if none meets the settings.
  const EngineEntry* quickest(bool on_device) const {
    const Precision precision = settings.precision.value_or(Precision::binary32);
    const bool exact = settings.exact_layer && precision == Precision::binary32;
    const auto serves = [&](const EngineEntry& entry) {
      if (entry.on_device != on_device || entry.precision != precision) return false;
      if (settings.method) return entry.method == *settings.method;
      return !(entry.method == Method::fast && exact) &&
             !(entry.method == Method::sparse && keeps_layer());
    };
    const EngineEntry* best = nullptr;
    std::pair<std::int64_t, double> least;
    for (const EngineEntry& entry : engines()) {
      if (!serves(entry)) continue;
      const std::pair cost(missing(entry), seconds(entry).of_few_candidates);
      if (best != nullptr && cost >= least) continue;
      best = &entry;
      least = cost;
    }
    return best;
  }
};

/// Chooses whether the CPU or a GPU computes, and with which engine.
Plan choose(const Choice& choice) {
  const SimulationSettings& settings = choice.settings;
  const Device& device = settings.device;
  const auto on_gpu = [&](const EngineEntry& engine, const std::string& wish, const char* reason) {
    const cuda::Device gpu = gpu_at(device.index, wish);
    return plan_with(engine, &gpu, reason);
  };
  if (!settings.engine.empty()) {
    const EngineEntry& entry = engine_asked_for(settings);
    constexpr const char* reason = "it was asked for";
    if (!entry.on_device) return plan_with(entry, nullptr, reason);
    return on_gpu(entry, named(Setting::engine, settings.engine), reason);
  }

  const EngineEntry* const processor_engine = choice.quickest(false);
  const EngineEntry* const gpu_engine = choice.quickest(true);
  if (device.kind == Device::cuda) {
    if (gpu_engine == nullptr) no_engine(settings);
    return on_gpu(*gpu_engine, named(Setting::device, "cuda"), "it is the fastest on a GPU");
  }
  if (processor_engine == nullptr) no_engine(settings);
  if (device.kind == Device::cpu || gpu_engine == nullptr) {
    return plan_with(*processor_engine, nullptr, "it is the fastest on the CPU");
  }

  const double processor_seconds = choice.likely_seconds(*processor_engine);
  const double gpu_seconds = cuda::start_seconds + choice.likely_seconds(*gpu_engine);
  if (processor_seconds <= gpu_seconds) {
    return plan_with(
        *processor_engine, nullptr,
        fmt::format("about {:.2g} s, where {} on a GPU would take {:.2g} s with its start-up",
                    processor_seconds, gpu_engine->name, gpu_seconds));
  }
  for (const cuda::Device& gpu : cuda::devices()) {
    if (!gpu.has_code) continue;
    return plan_with(*gpu_engine, &gpu,
                     fmt::format("about {:.2g} s with the start-up of the GPU, where {} would take "
                                 "{:.2g} s",
                                 gpu_seconds, processor_engine->name, processor_seconds));
  }
  return plan_with(*processor_engine, nullptr, "there is no GPU that this build can use");
}

/// Other ways that take less than a tenth of the time, the fastest first. If an engine was asked
/// for by name, they are named as engines, too.
std::vector<QuickerWay> quicker_ways(const Choice& choice, const Plan& plan) {
  constexpr double much = 10;
  const EngineEntry& chosen = engine_of(plan);
  std::vector<QuickerWay> ways;
  const auto consider = [&](const EngineEntry* engine, Setting setting, const char* value) {
    if (engine == nullptr || engine == &chosen) return;
    const double start = engine->on_device ? cuda::start_seconds : 0;
    const double seconds = start + choice.likely_seconds(*engine);
    if (seconds * much > plan.likely_seconds() || choice.missing(*engine) > 0) return;
    if (choice.settings.engine.empty()) {
      ways.push_back({setting, value, seconds});
    } else {
      ways.push_back({Setting::engine, engine->name, seconds});
    }
  };
  const bool in_single = chosen.precision == Precision::binary32;
  if (in_single && !choice.settings.exact_layer) {
    consider(find_engine(chosen.on_device ? "cuda_fast" : "cpu_fast"), Setting::method, "fast");
  }
  if (in_single && !chosen.on_device && !choice.workload.stored_layer) {
    consider(find_engine("cpu_sparse"), Setting::method, "sparse");
  }
  if (in_single) {
    consider(find_engine(chosen.on_device ? "cuda_double" : "cpu_double"), Setting::precision,
             "double");
  }
  const bool gpu_may_serve =
      !chosen.on_device && std::ranges::any_of(cuda::devices(), &cuda::Device::has_code);
  if (gpu_may_serve) consider(choice.quickest(true), Setting::device, "cuda");
  std::ranges::sort(ways, {}, &QuickerWay::seconds);
  return ways;
}

/// In single precision shares are computed by IEEE 754 operations, which every device rounds alike.
void check_attenuation(const Plan& plan) {
  const Attenuation& attenuation = plan.rule.attenuation;
  if (plan.precision == Precision::binary64 || GeneralLaw::of(attenuation)) return;
  throw InputError(fmt::format(
      "{} cannot be computed in single precision, as {} does: its shares would differ in "
      "their last bits from machine to machine; it is {}",
      named(Setting::attenuation, name_of(attenuation)), plan.engine, attenuations_there_are));
}

}  // namespace

Plan make_plan(const SimulationSettings& settings, const Workload& workload, int ranks) {
  check(settings, workload.cells);
  if (workload.storms < 0 || workload.impacts < 0) {
    throw InputError(
        fmt::format("{} storms of {} impacts are not possible", workload.storms, workload.impacts));
  }
  Choice choice{settings, workload, processor_speed(settings.threads)};
  choice.workload.cells = slab_of_rank(0, ranks, workload.cells).count();
  choice.workload.stored_layer = workload.stored_layer || ranks > 1;
  Plan plan = choose(choice);
  const EngineEntry& engine = engine_of(plan);
  plan.cells = workload.cells;
  plan.impacts = workload.impacts;
  plan.storms = workload.storms;
  plan.rule = settings.rule;
  check_attenuation(plan);
  plan.threads = thread_count({.part = {}, .threads = settings.threads});
  plan.cores = usable_cores();
  plan.speed = choice.speed;
  plan.start_up_seconds = engine.on_device ? cuda::start_seconds : 0;
  const Seconds seconds = choice.seconds(engine);
  plan.seconds = plan.start_up_seconds + seconds.of_few_candidates;
  plan.most_seconds = plan.start_up_seconds + seconds.of_all_arithmetic;
  if (plan.likely_seconds() > Plan::seconds_worth_a_choice) {
    plan.quicker = quicker_ways(choice, plan);
  }
  return plan;
}

const EngineEntry& engine_of(const Plan& plan) {
  return *find_engine(plan.engine);
}

EngineOptions engine_options(const Plan& plan, const SimulationSettings& settings) {
  return {.part = whole_layer(plan.cells),
          .storms = plan.storms,
          .rule = plan.rule,
          .keep_layer = true,
          .threads = settings.threads,
          .impacts = plan.impacts,
          .device = plan.gpu,
          .reduction = settings.reduction};
}

}  // namespace bombard
