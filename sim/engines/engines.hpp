#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bombard/plan.hpp"
#include "bombard/settings.hpp"
#include "sim/engines/costs.hpp"
#include "sim/engines/engine.hpp"

namespace bombard {

// One file each; EngineEntry::make() asks for the memory before it calls these. The screened
// engines are made in engines.cpp.

/// Eigen arrays, one thread, written to be read.
std::unique_ptr<Engine> make_reference(const EngineOptions& options);

/// OpenMP and the widest vector instructions of this CPU.
std::unique_ptr<Engine> make_cpu_direct(const EngineOptions& options);

/// The true sums, by exponential sums in binary64.
std::unique_ptr<Engine> make_cpu_double(const EngineOptions& options);

/// Adds an engine that the CUDA part offers to the program: registered under the name of its entry.
/// cuda_staged  initialise, update, copy, relax and max-location as separate kernels: the one to
///              read and to profile
/// cuda_direct  one fused kernel for a batch of storms, the layer in registers
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
  /// The most host memory that it takes; null for an engine on a GPU.
  std::int64_t (*bytes_on_processor)(const EngineOptions&) = nullptr;
  std::unique_ptr<Engine> (*make_on_processor)(const EngineOptions&) = nullptr;

  /// Typical seconds of work, without the start-up of a device. This assumes that every share
  /// counts, as in edition 2, and that impacts are spread over the layer.
  Seconds seconds(const Workload& workload, const ProcessorSpeed& speed) const;

  /// Throws CannotRun when there is less memory than require_memory() asks for, and for an engine
  /// on a GPU in a program without the CUDA part. An engine on a GPU asks for its memory itself.
  std::unique_ptr<Engine> make(const EngineOptions& options) const;
  std::int64_t bytes(const EngineOptions& options) const {
    return bytes_on_processor != nullptr ? bytes_on_processor(options) : 0;
  }
  /// The bytes of the engine, or of one for each of `ranks` of a machine, and those besides engines
  /// that store their layers.
  std::int64_t all_bytes(const EngineOptions& options, int ranks = 1) const {
    return ranks * bytes(options) + (method == Method::sparse ? 0 : options.bytes_beside);
  }
  /// The same, and those of the layer that a sparse engine may have to store after all.
  std::int64_t most_bytes(const EngineOptions& options, int ranks = 1) const;
  /// Throws CannotRun when the CPU has less memory than all_bytes().
  void require_memory(const EngineOptions& options, int ranks = 1) const;
};

/// All engines, including those of the CUDA part in a program without it.
std::span<const EngineEntry> engines();
/// The engine of this name; null if there is none.
const EngineEntry* find_engine(std::string_view name);
/// The engines that store the layer for a sparse engine which cannot go on: the fastest first, and
/// last the one that needs the least memory.
std::vector<const EngineEntry*> stored_engines(Precision precision);

}  // namespace bombard
