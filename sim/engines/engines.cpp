#include "sim/engines/engines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

#include "kernels/base/host_memory.hpp"
#include "kernels/base/registry.hpp"
#include "kernels/convolution/cpu/convolved_layer.hpp"
#include "kernels/device/device.hpp"
#include "sim/engines/direct/cpu_direct.hpp"
#include "sim/engines/screened/error_bound.hpp"
#include "sim/engines/screened/screened.hpp"

namespace bombard {

namespace {

const DeviceEngine& device_engine(std::string_view name) {
  cuda::require_cuda_part();
  for (const DeviceEngine& engine : registered<DeviceEngine>()) {
    if (engine.name == name) return engine;
  }
  throw std::logic_error("the CUDA part registers no engine of this name");
}

std::int64_t held_cells(const EngineOptions& options) {
  return with_margin(options.part, options.storms).held.count();
}

std::int64_t bytes_of_reference(const EngineOptions& options) {
  // The layer, its copy, distances, shares, divisors, roots, and the cells' numbers.
  constexpr std::int64_t bytes_of_cell = 6 * sizeof(float) + sizeof(std::int64_t);
  return held_cells(options) * bytes_of_cell;
}

std::int64_t bytes_of_fast(const EngineOptions& options) {
  // The same impact as the rule takes it, as a source with its uncertainty, and the cell that it
  // hits with what is there.
  constexpr std::int64_t bytes_of_impact = sizeof(ScaledImpact) + 29;
  const std::int64_t cells = held_cells(options);
  return cpu::ConvolvedLayer::bytes(cells) + most_bytes_of_candidates(cells) +
         options.impacts * bytes_of_impact;
}

std::int64_t bytes_of_double(const EngineOptions& options) {
  return cpu::ConvolvedLayer::bytes(held_cells(options));
}

std::int64_t bytes_of_sparse(const EngineOptions& options) {
  // An impact as it was read, as the rule takes it and as a source; its chunk, what is known of it,
  // and room for all of that to grow.
  constexpr std::int64_t bytes_of_impact = 500;
  return options.impacts * bytes_of_impact;
}

std::unique_ptr<Engine> make_cpu_fast(const EngineOptions& options) {
  return std::make_unique<ScreenedEngine>(options, make_exact_layer(options),
                                          make_stored_layer(options));
}

std::unique_ptr<Engine> make_cpu_sparse(const EngineOptions& options) {
  return std::make_unique<ScreenedEngine>(options, make_exact_layer(options),
                                          make_sparse_layer(options));
}

double seconds_of_passes(const EngineEntry& engine, const Workload& work,
                         const ProcessorSpeed& speed, double passed_impacts) {
  return (engine.costs.start_seconds + engine.costs.of_passes(static_cast<double>(work.cells),
                                                              passed_impacts,
                                                              static_cast<double>(work.storms))) /
         (engine.on_device ? 1 : speed.passes);
}

double seconds_of_direct(const EngineEntry& engine, const Workload& work,
                         const ProcessorSpeed& speed) {
  const auto cells = static_cast<double>(work.cells);
  const auto impacts = static_cast<double>(work.impacts);
  const auto storms = static_cast<double>(work.storms);
  const bool counts = engine.costs.counting != nullptr && storms > 0;
  const double time =
      counts ? std::min(1.0, time_of_counting(cells, impacts / storms, 0, *engine.costs.counting))
             : 1;
  const bool one_thread = engine.make_on_processor == make_reference;
  return (engine.costs.start_seconds + engine.costs.of_passes(cells, impacts, storms) +
          time * engine.costs.of_interactions(cells, impacts)) /
         (engine.on_device ? 1
          : one_thread     ? speed.one_thread
                           : speed.interactions);
}

/// Screening; or, where it proves nothing, all the arithmetic.
double seconds_of_fast(const EngineEntry& engine, const Workload& work,
                       const ProcessorSpeed& speed) {
  if (!has_layer(engine) && work.impacts >= ErrorBound::most_impacts) {
    return find_engine(engine.next)->seconds(work, speed);
  }
  return seconds_of_passes(engine, work, speed, static_cast<double>(work.impacts));
}

/// In every storm it goes through the sources of all storms so far. Where their neighbourhoods
/// cover the layer, it gives up, and the fast engine does the work after all.
double seconds_of_sparse(const EngineEntry& engine, const Workload& work,
                         const ProcessorSpeed& speed) {
  const auto impacts = static_cast<double>(work.impacts);
  const auto storms = static_cast<double>(work.storms);
  const double seconds = seconds_of_passes(engine, work, speed, impacts * (storms + 1) / 2);
  const bool covered =
      neighbourhoods_cover((impacts + 2) * (storms + 2), static_cast<double>(work.cells)) ||
      work.impacts >= ErrorBound::most_impacts;
  if (covered) return seconds + find_engine(engine.next)->seconds(work, speed);
  return std::min(seconds, seconds_of_shared_cells(impacts));
}

}  // namespace

double EngineEntry::seconds(const Workload& work, const ProcessorSpeed& speed) const {
  if (method == Method::sparse) return seconds_of_sparse(*this, work, speed);
  if (method == Method::fast) return seconds_of_fast(*this, work, speed);
  return seconds_of_direct(*this, work, speed);
}

std::unique_ptr<Engine> EngineEntry::make(const EngineOptions& options) const {
  require_memory_of_engines(bytes(options), name);
  return make_on_processor != nullptr ? make_on_processor(options)
                                      : device_engine(name).make(options);
}

std::span<const EngineEntry> engines() {
  using enum Method;
  using enum Precision;
  // Name, whether it runs on a GPU, method, precision, description, costs, the next engine; and on
  // the CPU the memory that it takes, and its factory.
  static constexpr EngineEntry entries[]{
      {"reference", false, direct, binary32, "Eigen, one thread: written to be read",
       costs::reference, nullptr, bytes_of_reference, make_reference},
      {"cpu_direct", false, direct, binary32,
       "all cores and vector instructions, storms fused tile by tile", costs::cpu_direct, nullptr,
       CpuDirect::bytes, make_cpu_direct},
      {"cpu_fast", false, fast, binary32, "exponential sums, and the rule where the maximum can be",
       costs::cpu_fast, "cpu_direct", bytes_of_fast, make_cpu_fast},
      {"cpu_sparse", false, sparse, binary32,
       "as cpu_fast, but stores no layer: its time depends on the impacts", costs::cpu_sparse,
       "cpu_fast", bytes_of_sparse, make_cpu_sparse},
      {"cpu_double", false, fast, binary64,
       "exponential sums in binary64: the true sums, not the rule's", costs::cpu_double, nullptr,
       bytes_of_double, make_cpu_double},
      {"cuda_staged", true, direct, binary32,
       "separate kernels: initialise, update, copy, relax, max-location", costs::cuda_staged,
       nullptr},
      {"cuda_direct", true, direct, binary32, "storms fused in one kernel, the layer in registers",
       costs::cuda_direct, nullptr},
      {"cuda_fast", true, fast, binary32, "exponential sums, and the rule where the maximum can be",
       costs::cuda_fast, "cuda_direct"},
      {"cuda_double", true, fast, binary64,
       "exponential sums in binary64: the true sums, not the rule's", costs::cuda_double, nullptr},
  };
  return entries;
}

const EngineEntry* find_engine(std::string_view name) {
  const auto found = std::ranges::find(engines(), name, &EngineEntry::name);
  return found == engines().end() ? nullptr : &*found;
}

void require_memory_of_engines(std::int64_t bytes, const std::string& what) {
  constexpr std::int64_t always_there = std::int64_t{1} << 25;
  if (bytes > always_there) require_host_memory(bytes, what);
}

}  // namespace bombard
