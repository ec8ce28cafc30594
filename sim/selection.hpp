#pragma once

#include <cstdint>
#include <string>

#include "sim/engines.hpp"

namespace bombard {

/// What the user asked for: `--device auto|cpu|cuda[:N]` and `--engine NAME`.
struct DeviceRequest {
  enum class Kind { automatic, cpu, cuda };
  Kind kind = Kind::automatic;
  int index = 0;
};
/// Throws InputError for anything else.
DeviceRequest parse_device(const std::string& text);

/// The engine for a run, the device it runs on and why.
struct Selection {
  const EngineEntry* engine = nullptr;
  int device = 0;           ///< index of the GPU; 0 for an engine on the processor
  std::string device_name;  ///< of the GPU or of the processor
  std::string reason;       ///< a sentence for `--verbose`
};

/// The engine for a run of so many cells, impacts (all storms together) and storms: the one asked
/// for, or the one whose start-up and work finish first (the rates are in selection.cpp and
/// engines.cpp). `engine` is empty for "choose". Throws InputError for an unknown name or one that
/// does not run on the device asked for, CannotRun when the device is not there. A GPU is looked
/// for only when it was asked for or could win: a small run never waits for a driver.
Selection select_engine(const DeviceRequest& device, const std::string& engine, std::int64_t cells,
                        std::int64_t impacts, std::int64_t storms);

/// Typical seconds of work for an engine, start-up left out.
double estimated_seconds(const EngineEntry& engine, std::int64_t cells, std::int64_t impacts,
                         std::int64_t storms);

}  // namespace bombard
