#include "sim/engines/engines.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include "kernels/base/host_memory.hpp"
#include "kernels/base/registry.hpp"
#include "kernels/convolution/cpu/convolved_layer.hpp"
#include "kernels/device/device.hpp"
#include "sim/engines/direct/cpu_direct.hpp"
#include "sim/engines/sparse/sparse_engine.hpp"

namespace bombard {

namespace {

const DeviceEngine& device_engine(std::string_view name) {
  cuda::require_cuda_part();
  for (const DeviceEngine& engine : registered<DeviceEngine>()) {
    if (engine.name == name) return engine;
  }
  throw std::logic_error("the CUDA part registers no engine of this name");
}

// So much memory is always there, and to ask takes longer than a small run.
constexpr std::int64_t always_there = std::int64_t{1} << 25;

std::int64_t held_cells(const EngineOptions& options) {
  return with_margin(options.part, options.storms).held.count();
}

std::int64_t bytes_of_reference(const EngineOptions& options) {
  // The layer, its copy, distances, shares, divisors, roots, and the cells' numbers.
  constexpr std::int64_t bytes_of_cell = 6 * sizeof(float) + sizeof(std::int64_t);
  return held_cells(options) * bytes_of_cell;
}

std::int64_t bytes_of_fast(const EngineOptions& options) {
  // Pending, and as the rule takes it.
  constexpr std::int64_t bytes_of_impact = sizeof(Impact) + sizeof(ScaledImpact);
  const std::int64_t cells = held_cells(options);
  return cpu::ConvolvedLayer::bytes(cells) + CpuDirect::bytes(options) +
         most_bytes_of_candidates(cells) + options.impacts * bytes_of_impact;
}

std::int64_t bytes_of_double(const EngineOptions& options) {
  return cpu::ConvolvedLayer::bytes(held_cells(options));
}

std::int64_t bytes_of_sparse(const EngineOptions& options) {
  return options.impacts * SparseEngine::bytes_of_impact;
}

}  // namespace

void EngineEntry::require_memory(const EngineOptions& options) const {
  const std::int64_t bytes = all_bytes(options);
  if (bytes > always_there) require_host_memory(bytes, on_device ? "a copy of the layer" : name);
}

std::unique_ptr<Engine> EngineEntry::make(const EngineOptions& options) const {
  require_memory(options);
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
  static constexpr std::array entries{
      EngineEntry{.name = "reference",
                  .method = direct,
                  .precision = binary32,
                  .description = "Eigen, one thread: written to be read",
                  .costs = costs::reference,
                  .bytes_on_processor = bytes_of_reference,
                  .make_on_processor = make_reference},
      EngineEntry{.name = "cpu_direct",
                  .method = direct,
                  .precision = binary32,
                  .description = "OpenMP and vector instructions, storms fused tile by tile",
                  .costs = costs::cpu_direct,
                  .bytes_on_processor = CpuDirect::bytes,
                  .make_on_processor = make_cpu_direct},
      EngineEntry{.name = "cpu_fast",
                  .method = fast,
                  .precision = binary32,
                  .description = "exponential sums, and the rule where the maximum can be",
                  .costs = costs::cpu_fast,
                  .bytes_on_processor = bytes_of_fast,
                  .make_on_processor = make_cpu_fast},
      EngineEntry{.name = "cpu_sparse",
                  .method = sparse,
                  .precision = binary32,
                  .description = "as cpu_fast, but no layer is stored: time by impacts alone",
                  .costs = costs::cpu_sparse,
                  .bytes_on_processor = bytes_of_sparse,
                  .make_on_processor = make_cpu_sparse},
      EngineEntry{.name = "cpu_double",
                  .method = fast,
                  .precision = binary64,
                  .description = "exponential sums in binary64: the true sums, not the rule's",
                  .costs = costs::cpu_double,
                  .bytes_on_processor = bytes_of_double,
                  .make_on_processor = make_cpu_double},
      EngineEntry{.name = "cpu_sparse_double",
                  .method = sparse,
                  .precision = binary64,
                  .description = "as cpu_double, but no layer is stored: time by impacts alone",
                  .costs = costs::cpu_sparse_double,
                  .bytes_on_processor = bytes_of_sparse,
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
