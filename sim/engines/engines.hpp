#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "bombard/plan.hpp"
#include "bombard/settings.hpp"
#include "sim/engines/costs.hpp"
#include "sim/engines/engine.hpp"

namespace bombard {

// One file each; EngineEntry::make() asks for the memory before it calls these. The
// screened engines of the CPU are made in engines.cpp.

/// Eigen arrays, one thread, written to be read.
std::unique_ptr<Engine> make_reference(const EngineOptions& options);

/// All cores, and vector instructions.
std::unique_ptr<Engine> make_cpu_direct(const EngineOptions& options);

/// The true sums, by exponential sums in binary64.
std::unique_ptr<Engine> make_cpu_double(const EngineOptions& options);

/// Adds an engine that the CUDA part offers to the program: registered under the name of its entry.
/// cuda_staged  initialise, update, copy, relax and max-location as separate kernels: the one to
///              read and to profile
/// cuda_direct  one fused kernel for a storm, the layer in registers
/// cuda_fast    as cpu_fast, the layer on a GPU
/// cuda_double  as cpu_double, the layer on a GPU
struct DeviceEngine {
  const char* name;
  std::unique_ptr<Engine> (*make)(const EngineOptions&);
};

/// An engine by the name the command line uses.
struct EngineEntry {
  const char* name;
  bool on_device;  ///< runs on a GPU
  Method method;
  Precision precision;
  const char* description;
  const Costs& costs;
  /// The engine that goes on where this one gives up; null: it never does, and has the layer.
  const char* next;
  /// The most host memory that it takes; null for an engine on a GPU.
  std::int64_t (*bytes_on_processor)(const EngineOptions&) = nullptr;
  std::unique_ptr<Engine> (*make_on_processor)(const EngineOptions&) = nullptr;

  /// Typical seconds of work, without the start-up of a device. This assumes that every share
  /// counts, as in edition 2, that impacts are spread over the layer, and that few cells can be the
  /// maximum.
  double seconds(const Workload& workload, const ProcessorSpeed& speed) const;

  /// Throws CannotRun when there is less memory than bytes(), and for an engine on a GPU in a
  /// program without the CUDA part. An engine on a GPU asks for its memory itself.
  std::unique_ptr<Engine> make(const EngineOptions& options) const;
  std::int64_t bytes(const EngineOptions& options) const {
    return bytes_on_processor != nullptr ? bytes_on_processor(options) : 0;
  }
};

/// All engines, including those of the CUDA part in a program without it.
std::span<const EngineEntry> engines();
/// The engine of this name; null if there is none.
const EngineEntry* find_engine(std::string_view name);

/// Whether an engine has the layer that the rule, or double precision, leaves behind.
constexpr bool has_layer(const EngineEntry& entry) {
  return entry.next == nullptr;
}
/// Whether cells and peaks of the layer can be had without another engine.
constexpr bool has_cells(const EngineEntry& entry) {
  return entry.method == Method::sparse || has_layer(entry);
}

/// Asks for the memory of engines, as require_host_memory() does, unless it is so little that
/// asking takes longer than a small run.
void require_memory_of_engines(std::int64_t bytes, const std::string& what);

}  // namespace bombard
