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

/// The engine for a run of so many interactions (cells times impacts, all storms): the one asked for, or
/// the one whose start-up and work finish first (the rates are in selection.cpp, the one place).
/// `engine` is empty for "choose". Throws InputError for an unknown name or one that does not run on the device asked for,
/// CannotRun when the device is not there.
const EngineEntry& select_engine(const DeviceRequest& device, const std::string& engine,
                                 std::int64_t cells, std::int64_t impacts, std::int64_t storms);

}  // namespace bombard
