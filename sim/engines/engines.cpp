#include "sim/engines/engines.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include "kernels/base/registry.hpp"
#include "kernels/device/device.hpp"

namespace bombard {

namespace {

const DeviceEngine& device_engine(std::string_view name) {
  cuda::require_cuda_part();
  for (const DeviceEngine& engine : registered<DeviceEngine>()) {
    if (engine.name == name) return engine;
  }
  throw std::logic_error("the CUDA part registers no engine of this name");
}

}  // namespace

std::unique_ptr<Engine> EngineEntry::make(const EngineOptions& options) const {
  return make_on_processor != nullptr ? make_on_processor(options)
                                      : device_engine(name).make(options);
}

void EngineEntry::start_device(int device, const Rule& rule, std::int64_t cells) const {
  cuda::use_device(device);
  if (const auto load = device_engine(name).load; load != nullptr) load(rule, cells);
}

std::span<const EngineEntry> engines() {
  using enum Method;
  using enum Precision;
  // The bytes are those that each engine's factory asks for.
  static constexpr std::array entries{
      EngineEntry{.name = "reference",
                  .on_device = false,
                  .method = direct,
                  .precision = binary32,
                  .description = "Eigen, one thread: written to be read",
                  .costs = costs::reference,
                  .host_bytes_per_cell = 32,
                  .make_on_processor = make_reference},
      EngineEntry{.name = "cpu_direct",
                  .on_device = false,
                  .method = direct,
                  .precision = binary32,
                  .description = "OpenMP and vector instructions, storms fused tile by tile",
                  .costs = costs::cpu_direct,
                  .host_bytes_per_cell = 4.1,
                  .make_on_processor = make_cpu_direct},
      EngineEntry{.name = "cpu_fast",
                  .on_device = false,
                  .method = fast,
                  .precision = binary32,
                  .description = "exponential sums, and the rule where the maximum can be",
                  .costs = costs::cpu_fast,
                  .host_bytes_per_cell = 13.7,
                  .make_on_processor = make_cpu_fast},
      EngineEntry{.name = "cpu_sparse",
                  .on_device = false,
                  .method = sparse,
                  .precision = binary32,
                  .description = "as cpu_fast, but no layer is stored: time by impacts alone",
                  .costs = costs::cpu_sparse,
                  .host_bytes_per_impact = 400,
                  .make_on_processor = make_cpu_sparse},
      EngineEntry{.name = "cpu_double",
                  .on_device = false,
                  .method = fast,
                  .precision = binary64,
                  .description = "exponential sums in binary64: the true sums, not the rule's",
                  .costs = costs::cpu_double,
                  .host_bytes_per_cell = 8.6,
                  .make_on_processor = make_cpu_double},
      EngineEntry{.name = "cpu_sparse_double",
                  .on_device = false,
                  .method = sparse,
                  .precision = binary64,
                  .description = "as cpu_double, but no layer is stored: time by impacts alone",
                  .costs = costs::cpu_sparse_double,
                  .host_bytes_per_impact = 400,
                  .make_on_processor = make_cpu_sparse_double},
      EngineEntry{.name = "cuda_staged",
                  .on_device = true,
                  .method = direct,
                  .precision = binary32,
                  .description = "separate kernels: initialise, update, copy, relax, max-location",
                  .costs = costs::cuda_staged},
      EngineEntry{.name = "cuda_direct",
                  .on_device = true,
                  .method = direct,
                  .precision = binary32,
                  .description = "storms fused in one kernel, the layer in registers",
                  .costs = costs::cuda_direct},
      EngineEntry{.name = "cuda_fast",
                  .on_device = true,
                  .method = fast,
                  .precision = binary32,
                  .description = "exponential sums, and the rule where the maximum can be",
                  .costs = costs::cuda_fast},
      EngineEntry{.name = "cuda_double",
                  .on_device = true,
                  .method = fast,
                  .precision = binary64,
                  .description = "exponential sums in binary64: the true sums, not the rule's",
                  .costs = costs::cuda_double},
  };
  return entries;
}

const EngineEntry* find_engine(std::string_view name) {
  const auto found = std::ranges::find(engines(), name, &EngineEntry::name);
  return found == engines().end() ? nullptr : &*found;
}

}  // namespace bombard
