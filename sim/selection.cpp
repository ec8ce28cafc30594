#include "sim/selection.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "inputs/errors.hpp"
#include "kernels/device.hpp"
#include "kernels/errors.hpp"
#include "sim/processor.hpp"

namespace bombard {

namespace {

// The cost model: seconds = start + storms * cells / cells_per_second
//                                 + cells * impacts / interactions_per_second.
// The interactions a second are the engine's own (engines.cpp); this table holds the rest.
// Relaxation and the search for the maximum touch every cell about four times, so cells_per_second
// is the memory's bandwidth over 16 bytes. The start of a GPU is the creation of a CUDA context.
struct Costs {
  double start_seconds;
  double cells_per_second;
};
constexpr Costs on_processor{0.0, 5e8};
constexpr Costs on_gpu{0.3, 1e11};

const Costs& costs(const EngineEntry& engine) {
  return engine.on_device ? on_gpu : on_processor;
}

std::string engine_names() {
  std::string names;
  for (const EngineEntry& entry : engines()) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", entry.name);
  }
  return names;
}

const EngineEntry& engine_named(const std::string& name) {
  for (const EngineEntry& entry : engines()) {
    if (entry.name == name) return entry;
  }
  throw InputError(
      fmt::format("--engine \"{}\" is not an engine; there are {}", name, engine_names()));
}

[[noreturn]] void no_gpu(const std::string& wish) {
  if (cuda::toolkit_version().empty()) {
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

Selection on_gpu_selection(const EngineEntry& engine, const cuda::Device& device,
                           std::string reason) {
  return {&engine, device.index, device.name, std::move(reason)};
}

Selection on_processor_selection(const EngineEntry& engine, std::string reason) {
  return {&engine, 0, processor().name, std::move(reason)};
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

double estimated_seconds(const EngineEntry& engine, std::int64_t cells, std::int64_t impacts,
                         std::int64_t storms) {
  const double layer = static_cast<double>(cells);
  return layer * static_cast<double>(storms) / costs(engine).cells_per_second +
         layer * static_cast<double>(impacts) / engine.interactions_per_second;
}

Selection select_engine(const DeviceRequest& device, const std::string& engine, std::int64_t cells,
                        std::int64_t impacts, std::int64_t storms) {
  using Kind = DeviceRequest::Kind;

  if (!engine.empty()) {
    const EngineEntry& entry = engine_named(engine);
    if (!entry.on_device) {
      if (device.kind == Kind::cuda) {
        throw InputError(
            fmt::format("--engine {} runs on the processor, which --device cuda rules out; leave "
                        "one of them out",
                        engine));
      }
      return on_processor_selection(entry, "it was asked for");
    }
    if (device.kind == Kind::cpu) {
      throw InputError(fmt::format(
          "--engine {} runs on a GPU, which --device cpu rules out; leave one of them out",
          engine));
    }
    const std::vector<cuda::Device> gpus = cuda::devices();
    return on_gpu_selection(entry, device_at(gpus, device.index, "--engine " + engine),
                            "it was asked for");
  }

  // The quickest engine of each kind; of two that take equally long, the one with the higher rate.
  const auto quickest = [&](bool on_device) -> const EngineEntry* {
    const EngineEntry* best = nullptr;
    const auto cost = [&](const EngineEntry& entry) {
      return std::pair(estimated_seconds(entry, cells, impacts, storms),
                       -entry.interactions_per_second);
    };
    for (const EngineEntry& entry : engines()) {
      if (entry.fast) continue;  // by name only
      if (entry.on_device == on_device && (best == nullptr || cost(entry) < cost(*best)))
        best = &entry;
    }
    return best;
  };
  const auto seconds = [&](const EngineEntry& entry) {
    return costs(entry).start_seconds + estimated_seconds(entry, cells, impacts, storms);
  };

  const EngineEntry& processor_engine = *quickest(false);
  if (device.kind == Kind::cpu) {
    return on_processor_selection(processor_engine, "it is the fastest on the processor");
  }
  const EngineEntry& gpu_engine = *quickest(true);
  if (device.kind == Kind::cuda) {
    const std::vector<cuda::Device> gpus = cuda::devices();
    return on_gpu_selection(gpu_engine, device_at(gpus, device.index, "--device cuda"),
                            "it is the fastest on a GPU");
  }

  const double processor_seconds = seconds(processor_engine);
  const double gpu_seconds = seconds(gpu_engine);
  if (processor_seconds <= gpu_seconds) {
    return on_processor_selection(
        processor_engine,
        fmt::format("about {:.2g} s, where {} on a GPU would take {:.2g} s with its start-up",
                    processor_seconds, gpu_engine.name, gpu_seconds));
  }
  const std::vector<cuda::Device> gpus = cuda::devices();
  for (const cuda::Device& gpu : gpus) {
    if (gpu.has_code) {
      return on_gpu_selection(
          gpu_engine, gpu,
          fmt::format("about {:.2g} s with the start-up of the GPU, where {} would take {:.2g} s",
                      gpu_seconds, processor_engine.name, processor_seconds));
    }
  }
  return on_processor_selection(processor_engine, "there is no GPU that this build can use");
}

}  // namespace bombard
