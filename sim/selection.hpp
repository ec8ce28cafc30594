#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bombard/simulation_result.hpp"
#include "sim/cost_model.hpp"
#include "sim/engines/engines.hpp"
#include "sim/workload.hpp"

namespace bombard {

/// `--device auto|cpu|cuda[:N]`.
struct DeviceRequest {
  enum class Kind { automatic, cpu, cuda };
  Kind kind = Kind::automatic;
  int index = 0;
};
/// Throws InputError for anything else.
DeviceRequest parse_device(const std::string& text);

/// "auto" (nothing), "direct", "fast" or "sparse"; throws InputError for anything else.
std::optional<Method> parse_method(const std::string& text);
/// "single" (or "float") or "double"; throws InputError for anything else.
Precision parse_precision(const std::string& text);
/// "1" or "2"; throws InputError for anything else.
Edition parse_edition(const std::string& text);
/// "power:0.5"; throws InputError for anything else.
Attenuation parse_attenuation(const std::string& text);
/// As the command line writes them.
const char* name_of(Method method);
const char* name_of(Precision precision);

/// What a layer's cell takes in memory and in a file.
constexpr std::int64_t bytes_of_cell(Precision precision) {
  return precision == Precision::binary64 ? sizeof(double) : sizeof(float);
}

/// What the user asked for. What is left empty is chosen, the precision as binary32 unless an
/// engine says otherwise.
struct EngineRequest {
  DeviceRequest device;
  std::string engine = {};
  std::optional<Method> method = {};
  std::optional<Precision> precision = {};
  /// The layer, or cells of it, are a result: in binary32 only an engine that gives the rule's, bit
  /// for bit, is chosen by itself.
  bool exact_layer = false;
  /// No engine without a layer is chosen by itself: the layer is shown as a whole, or is there at
  /// first, or shares end, or ranks compute it.
  bool stored_layer = false;
  /// Threads of an engine on the processor; 0: all cores.
  int threads = 0;
};

/// The engine for a run, the device it runs on and why.
struct Selection {
  const EngineEntry* engine = nullptr;
  int device = 0;           ///< index of the GPU; 0 for an engine on the processor
  std::string device_name;  ///< of the GPU or of the processor
  std::string reason;       ///< a sentence for `--verbose`
  ProcessorSpeed speed;     ///< that the costs were estimated with
  double seconds = 0;       ///< of work, start-up of a device left out
};

/// The engine for a run: the one asked for, or of those that the request allows, and that fit into
/// the host's memory, the one whose start-up and work finish first (cost_model.hpp).
/// Throws InputError for an unknown name, or wishes that no engine meets, CannotRun when the device
/// is not there. A GPU is looked for only when it was asked for or could win: a small run never
/// waits for a driver.
Selection select_engine(const EngineRequest& request, const Workload& workload);

/// What would take less than a tenth of the time, the quickest first; engines that were asked for
/// by name leave the choice among all.
std::vector<QuickerWay> quicker_ways(const EngineRequest& request, const Workload& workload,
                                     const Selection& selection);

}  // namespace bombard
