#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bombard/settings.hpp"
#include "bombard/simulation_result.hpp"
#include "sim/engines/engines.hpp"

namespace bombard {

/// What a layer's cell takes in memory and in a file.
constexpr std::int64_t bytes_of_cell(Precision precision) {
  return precision == Precision::binary64 ? sizeof(double) : sizeof(float);
}

/// The engine for a run, the device it runs on and why.
struct Selection {
  const EngineEntry* engine = nullptr;
  int device = 0;           ///< index of the GPU; 0 for an engine on the processor
  std::string device_name;  ///< of the GPU or of the processor
  std::string reason;       ///< a sentence for `--verbose`
  ProcessorSpeed speed;     ///< that the costs were estimated with
  double seconds = 0;       ///< of work, start-up of a device left out
};

/// The engine for a run: the one asked for, or of those that the settings allow, and that fit into
/// the host's memory, the one whose start-up and work finish first (costs.hpp).
/// Throws InputError for settings that are none, or that no engine meets, CannotRun when the device
/// is not there. A GPU is looked for only when it was asked for or could win: a small run never
/// waits for a driver.
Selection select_engine(const SimulationSettings& settings, const Workload& workload);

/// What would take less than a tenth of the time, the quickest first; engines that were asked for
/// by name leave the choice among all.
std::vector<QuickerWay> quicker_ways(const SimulationSettings& settings, const Workload& workload,
                                     const Selection& selection);

}  // namespace bombard
