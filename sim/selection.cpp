#include "sim/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "inputs/errors.hpp"
#include "kernels/base/errors.hpp"
#include "kernels/base/host_memory.hpp"
#include "kernels/device/device.hpp"
#include "sim/processor.hpp"

namespace bombard {

namespace {

// Of so many random impacts, the rule's roundings leave nearly every cell open as a candidate, and
// a fast engine has to do all the arithmetic after all.
constexpr double most_provable_impacts = 3e5;

std::string engine_names() {
  std::string names;
  for (const EngineEntry& entry : engines()) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", entry.name);
  }
  return names;
}

const EngineEntry& engine_named(const std::string& name) {
  if (const EngineEntry* const entry = find_engine(name)) return *entry;
  throw InputError(
      fmt::format("--engine \"{}\" is not an engine; there are {}", name, engine_names()));
}

[[noreturn]] void no_gpu(const std::string& wish) {
  if (cuda::cuda_part() == nullptr) {
    throw CannotRun(fmt::format(
        "{} needs a GPU, but this build holds no CUDA code; build where nvcc 13 is on the PATH, or "
        "choose --device cpu",
        wish));
  }
  throw CannotRun(
      fmt::format("{} needs a GPU, but this process sees none (no NVIDIA driver, no device, or "
                  "CUDA_VISIBLE_DEVICES hides it); choose --device cpu, or see `bombard devices`",
                  wish));
}

const cuda::Device& device_at(const std::vector<cuda::Device>& devices, int index,
                              const std::string& wish) {
  if (devices.empty()) no_gpu(wish);
  for (const cuda::Device& device : devices) {
    if (device.index == index) return device;
  }
  throw CannotRun(
      fmt::format("--device cuda:{} is not there: this process sees {} GPU{}, numbered from 0; "
                  "see `bombard devices`",
                  index, devices.size(), devices.size() == 1 ? "" : "s"));
}

Selection on_gpu(const EngineEntry& engine, const cuda::Device& device, std::string reason) {
  return {&engine, device.index, device.name, std::move(reason)};
}

Selection on_processor(const EngineEntry& engine, std::string reason) {
  return {&engine, 0, processor().name, std::move(reason)};
}

/// The engine asked for by name, which nothing else that was asked for may contradict.
const EngineEntry& engine_asked_for(const EngineRequest& request) {
  const EngineEntry& entry = engine_named(request.engine);
  const auto contradicted = [&](const std::string& is, const std::string& wish) {
    throw InputError(fmt::format("--engine {} {}, which {} rules out; leave one of them out",
                                 entry.name, is, wish));
  };
  using Kind = DeviceRequest::Kind;
  if (!entry.on_device && request.device.kind == Kind::cuda) {
    contradicted("runs on the processor", "--device cuda");
  }
  if (entry.on_device && request.device.kind == Kind::cpu) {
    contradicted("runs on a GPU", "--device cpu");
  }
  if (request.method && *request.method != entry.method) {
    contradicted(fmt::format("is a {} method", name_of(entry.method)),
                 fmt::format("--method {}", name_of(*request.method)));
  }
  if (request.precision && *request.precision != entry.precision) {
    contradicted(fmt::format("computes in {} precision", name_of(entry.precision)),
                 fmt::format("--precision {}", name_of(*request.precision)));
  }
  return entry;
}

[[noreturn]] void no_engine(const EngineRequest& request) {
  const Precision precision = request.precision.value_or(Precision::binary32);
  std::string there_are;
  for (const EngineEntry& entry : engines()) {
    if (entry.precision != precision) continue;
    there_are += fmt::format("{}{}", there_are.empty() ? "" : ", ", entry.name);
  }
  throw InputError(fmt::format(
      "no engine computes by --method {} in --precision {}; leave one of them out (in {} "
      "precision there are {})",
      request.method ? name_of(*request.method) : "auto", name_of(precision), name_of(precision),
      there_are));
}

/// Bytes of host memory for an engine's layer that are not there.
double missing_memory(const EngineEntry& entry, std::int64_t cells) {
  constexpr std::int64_t always_there = 1 << 24;  // cells, and asking takes longer than computing
  if (cells <= always_there) return 0;
  return std::max(0.0, entry.costs.host_bytes_per_cell * static_cast<double>(cells) -
                           static_cast<double>(available_host_memory()));
}

/// The quickest engine on a GPU or on the processor that meets the request and for which there is
/// memory, or that lacks least; of two that take equally long, the one with the higher rate.
const EngineEntry* quickest(const EngineRequest& request, const Workload& workload,
                            bool on_device) {
  const Precision precision = request.precision.value_or(Precision::binary32);
  std::optional<Method> method = request.method;
  if (!method && request.exact_layer && precision == Precision::binary32) method = Method::direct;
  const auto cost = [&](const EngineEntry& entry) {
    return std::tuple(missing_memory(entry, workload.cells), estimated_seconds(entry, workload),
                      -entry.costs.interactions_per_second);
  };
  const EngineEntry* best = nullptr;
  for (const EngineEntry& entry : engines()) {
    if (entry.on_device != on_device || entry.precision != precision) continue;
    if (method && entry.method != *method) continue;
    if (best == nullptr || cost(entry) < cost(*best)) best = &entry;
  }
  return best;
}

}  // namespace

DeviceRequest parse_device(const std::string& text) {
  using Kind = DeviceRequest::Kind;
  if (text == "auto") return {Kind::automatic, 0};
  if (text == "cpu") return {Kind::cpu, 0};
  if (text == "cuda") return {Kind::cuda, 0};
  constexpr std::string_view prefix = "cuda:";
  if (text.starts_with(prefix)) {
    int index = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + prefix.size(), end, index);
    if (error == std::errc{} && rest == end && index >= 0) return {Kind::cuda, index};
  }
  throw InputError(fmt::format(
      "--device \"{}\" is not a device; it is auto, cpu, cuda or cuda:N with N from 0 up", text));
}

std::optional<Method> parse_method(const std::string& text) {
  if (text == "auto") return {};
  if (text == "direct") return Method::direct;
  if (text == "fast") return Method::fast;
  throw InputError(
      fmt::format("--method \"{}\" is not a method; it is auto, direct or fast", text));
}

Precision parse_precision(const std::string& text) {
  if (text == "single") return Precision::binary32;
  if (text == "double") return Precision::binary64;
  throw InputError(
      fmt::format("--precision \"{}\" is not a precision; it is single or double", text));
}

const char* name_of(Method method) {
  return method == Method::direct ? "direct" : "fast";
}

const char* name_of(Precision precision) {
  return precision == Precision::binary32 ? "single" : "double";
}

double estimated_seconds(const EngineEntry& engine, const Workload& workload) {
  const auto cells = static_cast<double>(workload.cells);
  const auto impacts = static_cast<double>(workload.impacts);
  const Costs& costs = engine.costs;
  const bool few_interactions =
      engine.method == Method::fast &&
      (engine.precision == Precision::binary64 || impacts < most_provable_impacts);
  return costs.start_seconds +
         cells * static_cast<double>(workload.storms) / costs.cells_per_second +
         impacts / costs.impacts_per_second +
         (few_interactions ? 0 : cells * impacts / costs.interactions_per_second);
}

Selection select_engine(const EngineRequest& request, const Workload& workload) {
  using Kind = DeviceRequest::Kind;
  const DeviceRequest& device = request.device;

  if (!request.engine.empty()) {
    const EngineEntry& entry = engine_asked_for(request);
    if (!entry.on_device) return on_processor(entry, "it was asked for");
    return on_gpu(entry, device_at(cuda::devices(), device.index, "--engine " + request.engine),
                  "it was asked for");
  }

  const EngineEntry* const processor_engine = quickest(request, workload, false);
  const EngineEntry* const gpu_engine = quickest(request, workload, true);
  if (device.kind == Kind::cuda) {
    if (gpu_engine == nullptr) no_engine(request);
    return on_gpu(*gpu_engine, device_at(cuda::devices(), device.index, "--device cuda"),
                  "it is the fastest on a GPU");
  }
  if (processor_engine == nullptr) no_engine(request);
  if (device.kind == Kind::cpu || request.on_processor || gpu_engine == nullptr) {
    return on_processor(*processor_engine, "it is the fastest on the processor");
  }

  const double processor_seconds = estimated_seconds(*processor_engine, workload);
  const double gpu_seconds = cuda::start_seconds + estimated_seconds(*gpu_engine, workload);
  if (processor_seconds <= gpu_seconds) {
    return on_processor(
        *processor_engine,
        fmt::format("about {:.2g} s, where {} on a GPU would take {:.2g} s with its start-up",
                    processor_seconds, gpu_engine->name, gpu_seconds));
  }
  for (const cuda::Device& gpu : cuda::devices()) {
    if (gpu.has_code) {
      return on_gpu(*gpu_engine, gpu,
                    fmt::format("about {:.2g} s with the start-up of the GPU, where {} would take "
                                "{:.2g} s",
                                gpu_seconds, processor_engine->name, processor_seconds));
    }
  }
  return on_processor(*processor_engine, "there is no GPU that this build can use");
}

}  // namespace bombard
