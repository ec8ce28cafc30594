#include "sim/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "bombard/errors.hpp"
#include "kernels/base/host_memory.hpp"
#include "kernels/device/device.hpp"
#include "sim/checks.hpp"
#include "sim/engine_chain.hpp"
#include "sim/processor.hpp"
#include "sim/ranks/communicator.hpp"

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
        "or newer), or choose device cpu",
        wish));
  }
  const std::vector<cuda::Device> devices = cuda::devices();
  const auto found = std::ranges::find(devices, index, &cuda::Device::index);
  if (found != devices.end()) return *found;
  if (devices.empty()) {
    throw CannotRun(
        fmt::format("{} needs a GPU, but this process sees none (no NVIDIA driver, no device, or "
                    "CUDA_VISIBLE_DEVICES hides it); choose device cpu, or see `bombard devices`",
                    wish));
  }
  throw CannotRun(fmt::format(
      "device cuda:{} does not exist: this process sees {} GPU{}, numbered from 0; see `bombard "
      "devices`",
      index, devices.size(), devices.size() == 1 ? "" : "s"));
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
    throw InputError(fmt::format("engine \"{}\" is not an engine; there are {}", settings.engine,
                                 engine_names()));
  }
  const EngineEntry& entry = *found;
  const auto contradicted = [&](const std::string& is, const std::string& wish) {
    throw InputError(fmt::format("engine {} {}, which {} rules out; leave one of them out",
                                 entry.name, is, wish));
  };
  if (!entry.on_device && settings.device.kind == Device::cuda) {
    contradicted("runs on the CPU", "device cuda");
  }
  if (entry.on_device && settings.device.kind == Device::cpu) {
    contradicted("runs on a GPU", "device cpu");
  }
  if (settings.method && *settings.method != entry.method) {
    contradicted(fmt::format("is a {} method", name_of(entry.method)),
                 fmt::format("method {}", name_of(*settings.method)));
  }
  if (settings.precision && *settings.precision != entry.precision) {
    contradicted(fmt::format("computes in {} precision", name_of(entry.precision)),
                 fmt::format("precision {}", name_of(*settings.precision)));
  }
  return entry;
}

[[noreturn]] void no_engine(const SimulationSettings& settings) {
  const Precision precision = settings.precision.value_or(Precision::binary32);
  throw InputError(fmt::format(
      "no engine{} computes by method {} in precision {}; leave one of them out (in {} precision "
      "there are {})",
      settings.device.kind == Device::cuda ? " on a GPU" : "",
      settings.method ? name_of(*settings.method) : "auto", name_of(precision), name_of(precision),
      engine_names(precision)));
}

/// Whether anything can be asked of the layer after the last storm.
bool keeps_layer(bool exactly_these, Wanted wanted) {
  return !exactly_these || wanted != Wanted::maxima;
}

/// The engine that has the layer: this one, or the one that takes its place.
const EngineEntry& with_layer(const EngineEntry& entry) {
  return has_layer(entry) ? entry : with_layer(*next_engine(entry));
}

/// What an engine takes of the host's memory, or the one that takes its place for a layer: of
/// `ranks` on this machine, each with its part. An engine that others may follow has the storms so
/// far beside it. What is wanted of the layer is a copy: of a part in each rank at a time, and for
/// cells and peaks rank 0 joins the parts.
std::int64_t host_bytes(const EngineEntry& entry, const SimulationSettings& settings,
                        std::int64_t cells, const Communicator& ranks) {
  const CellRange own = slab_of_rank(0, ranks.ranks(), cells);
  const EngineOptions options{.part = part_of_layer(own, cells),
                              .storms = settings.expected_storms,
                              .rule = settings.rule,
                              .keep_layer = keeps_layer(settings.exactly_these, settings.wanted),
                              .threads = settings.threads,
                              .impacts = settings.expected_impacts};
  const std::int64_t kept = bytes_kept(entry, settings.expected_impacts);
  const auto taken = [&](const EngineEntry& engine) {
    const bool is_copied = settings.wanted != Wanted::maxima && has_layer(engine);
    const bool is_joined = settings.wanted == Wanted::cells && !ranks.is_alone();
    const std::int64_t copies =
        is_copied ? ranks.ranks_on_host() * own.count() + (is_joined ? cells : 0) : 0;
    return ranks.ranks_on_host() * (engine.bytes(options) + kept) +
           copies * bytes_of_cell(engine.precision);
  };
  if (settings.wanted != Wanted::layer) return taken(entry);
  return std::max(taken(entry), taken(with_layer(entry)));
}

/// How long it takes.
double seconds_of(const EngineEntry& entry, const SimulationSettings& settings, std::int64_t cells,
                  const Communicator& ranks) {
  const Workload work{slab_of_rank(0, ranks.ranks(), cells).count(), settings.expected_impacts,
                      settings.expected_storms};
  return entry.seconds(work, processor_speed(settings.threads)) +
         (entry.on_device ? cuda::start_seconds : 0);
}

/// Whether the engine is what the settings ask for, or, where they leave the choice, has what is
/// wanted. Ranks hold a layer together.
bool serves(const EngineEntry& entry, const SimulationSettings& settings, bool is_alone) {
  if (entry.precision != settings.precision.value_or(Precision::binary32)) return false;
  if (settings.method) return entry.method == *settings.method;
  if (!is_alone && entry.method == Method::sparse) return false;
  return settings.wanted == Wanted::maxima || has_layer(entry) ||
         (settings.wanted == Wanted::cells && has_cells(entry));
}

/// The engine for which there is memory (or that lacks least), and that takes the least time; of
/// two that take equally long, the one that comes first in engines(). Null if none serves.
const EngineEntry* quickest(bool on_device, const SimulationSettings& settings, std::int64_t cells,
                            const Communicator& ranks) {
  constexpr std::int64_t always_there = std::int64_t{1} << 27;  // asking takes a while
  const EngineEntry* best = nullptr;
  std::pair<std::int64_t, double> least;
  for (const EngineEntry& entry : engines()) {
    if (entry.on_device != on_device || !serves(entry, settings, ranks.is_alone())) continue;
    const std::int64_t bytes = host_bytes(entry, settings, cells, ranks);
    const std::int64_t missing =
        bytes <= always_there ? 0 : std::max<std::int64_t>(0, bytes - available_host_memory());
    const std::pair cost(missing, seconds_of(entry, settings, cells, ranks));
    if (best != nullptr && cost >= least) continue;
    best = &entry;
    least = cost;
  }
  return best;
}

/// Chooses whether the CPU or a GPU computes, and with which engine.
Plan choose(const SimulationSettings& settings, std::int64_t cells, const Communicator& ranks) {
  const Device& device = settings.device;
  const auto on_gpu = [&](const EngineEntry& engine, const std::string& wish, const char* reason) {
    const cuda::Device gpu = gpu_at(device.index, wish);
    return plan_with(engine, &gpu, reason);
  };
  if (!settings.engine.empty()) {
    const EngineEntry& entry = engine_asked_for(settings);
    constexpr const char* reason = "it was asked for";
    if (!entry.on_device) return plan_with(entry, nullptr, reason);
    return on_gpu(entry, "engine " + settings.engine, reason);
  }

  const EngineEntry* const processor_engine = quickest(false, settings, cells, ranks);
  const EngineEntry* const gpu_engine = quickest(true, settings, cells, ranks);
  if (device.kind == Device::cuda) {
    if (gpu_engine == nullptr) no_engine(settings);
    return on_gpu(*gpu_engine, "device cuda", "it is the fastest on a GPU");
  }
  if (processor_engine == nullptr) no_engine(settings);
  if (device.kind == Device::cpu || gpu_engine == nullptr) {
    return plan_with(*processor_engine, nullptr, "it is the fastest on the CPU");
  }

  const double processor_seconds = seconds_of(*processor_engine, settings, cells, ranks);
  const double gpu_seconds = seconds_of(*gpu_engine, settings, cells, ranks);
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

/// Single precision is the published rule, with any threshold; double precision adds every share,
/// with any attenuation.
void check_rule_of(const Plan& plan) {
  const auto& [edition, attenuation, threshold] = plan.rule;
  const bool in_double = plan.precision == Precision::binary64;
  if (!in_double && attenuation != square_root_attenuation) {
    throw InputError(
        fmt::format("attenuation {} is there in double precision, and {} computes in single "
                    "precision; choose precision double, or leave the attenuation out",
                    name_of(attenuation), plan.engine));
  }
  if (in_double && threshold != Rule{}.threshold) {
    throw InputError(
        fmt::format("threshold {} is there in single precision, and {} adds every share, in double "
                    "precision; leave the threshold out",
                    threshold, plan.engine));
  }
}

void check_ranks(const Plan& plan, const Communicator& ranks) {
  if (ranks.is_alone() || plan.method != Method::sparse) return;
  throw InputError(fmt::format(
      "{} stores no layer and needs one process; take method direct or fast, or the program "
      "bombard",
      plan.engine));
}

}  // namespace

Plan make_plan(std::int64_t cells, const SimulationSettings& given, const Communicator& ranks) {
  SimulationSettings settings = given;
  check(settings, cells);
  constexpr std::int64_t most_impacts = std::int64_t{1} << 50;  // 64 bits count their bytes
  if (settings.expected_storms < 0 || settings.expected_impacts < 0 ||
      settings.expected_impacts > most_impacts) {
    throw InputError(fmt::format("{} storms of {} impacts are not possible",
                                 settings.expected_storms, settings.expected_impacts));
  }
  if (settings.threads == 0) settings.threads = ranks.threads();
  Plan plan = choose(settings, cells, ranks);
  const EngineEntry& engine = engine_of(plan);
  plan.cells = cells;
  plan.impacts = settings.expected_impacts;
  plan.storms = settings.expected_storms;
  plan.rule = settings.rule;
  plan.reduction = settings.reduction;
  plan.exactly_these = settings.exactly_these;
  plan.wanted = settings.wanted;
  check_rule_of(plan);
  check_ranks(plan, ranks);
  plan.threads = settings.threads > 0 ? settings.threads : default_threads();
  plan.cores = usable_cores();
  plan.start_up_seconds = engine.on_device ? cuda::start_seconds : 0;
  plan.seconds = seconds_of(engine, settings, cells, ranks);
  plan.host_bytes = host_bytes(engine, settings, cells, ranks);
  return plan;
}

void require_memory(const Plan& plan) {
  require_memory_of_engines(plan.host_bytes, plan.engine);
}

void require_begins_with_a_layer(const Plan& plan) {
  if (has_layer(engine_of(plan))) return;
  throw InputError(
      fmt::format("initial is a layer, and {} keeps none; take method direct, or precision double",
                  plan.engine));
}

const EngineEntry& engine_of(const Plan& plan) {
  return *find_engine(plan.engine);
}

EngineOptions engine_options(const Plan& plan) {
  // Another number of storms may come; then the layer is whole, and no margin depends on it.
  constexpr std::int64_t any_number = std::numeric_limits<std::int64_t>::max() / 2;
  return {.part = whole_layer(plan.cells),
          .storms = plan.exactly_these ? plan.storms : any_number,
          .rule = plan.rule,
          .keep_layer = keeps_layer(plan.exactly_these, plan.wanted),
          .threads = plan.threads,
          .impacts = plan.impacts,
          .device = plan.gpu,
          .reduction = plan.reduction};
}

}  // namespace bombard
