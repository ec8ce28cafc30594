#pragma once

#include <cstdint>

#include "bombard/storm.hpp"

namespace bombard {

/// A storm of random impacts: positions uniform in 0..cells-1, energies (thousands) uniform in
/// lowest_energy..highest_energy, independent, without bias. Storm `index` of a seed depends on
/// nothing but the arguments: it is the same on every machine, whichever other storms are
/// generated. The first storm of a seed has index 0.
/// cells 1..largest_position, impacts >= 0, lowest <= highest; throws InputError otherwise, and
/// CannotRun when the impacts do not fit in memory.
Storm generate_storm(std::int64_t cells, std::int64_t impacts, std::int32_t lowest_energy,
                     std::int32_t highest_energy, std::uint64_t seed, std::int64_t index);

}  // namespace bombard
