#pragma once

#include <cstdint>
#include <span>

#include "bombard/storm.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/share/reach.hpp"

/// The reach of each impact, in `room`, which grows if it is too small. All arrays are in device
/// memory; returns once launched. AnyRule is a LayerRule or a TrueRule.
namespace bombard::cuda {
template <class AnyRule>
std::span<const std::int64_t> find_reaches(const AnyRule& rule, std::span<const Impact> impacts,
                                           DeviceArray<std::int64_t>& room);
}
