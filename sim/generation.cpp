#include "sim/generation.hpp"

#include <fmt/format.h>

#include "bombard/errors.hpp"
#include "inputs/byte_count.hpp"
#include "inputs/random_numbers.hpp"
#include "kernels/base/host_memory.hpp"

namespace bombard {

Storm generate_storm(std::int64_t cells, std::int64_t impacts, std::int32_t lowest_energy,
                     std::int32_t highest_energy, std::uint64_t seed, std::int64_t index) {
  if (cells < 1 || cells > largest_position) {
    throw InputError(
        fmt::format("cannot generate impacts on {} cells; give 1 to {}", cells, largest_position));
  }
  if (impacts < 0) {
    throw InputError(fmt::format("cannot generate {} impacts; give 0 or more", impacts));
  }
  if (lowest_energy > highest_energy) {
    throw InputError(fmt::format("energies {}:{} are the wrong way round; give lowest:highest",
                                 lowest_energy, highest_energy));
  }
  require_host_memory(byte_count({impacts, sizeof(Impact)}),
                      fmt::format("a storm of {} impacts", impacts));

  // The storms of a seed start at unrelated places of the generator's one long cycle.
  const std::uint64_t start = RandomNumbers(seed).next() + static_cast<std::uint64_t>(index);
  RandomNumbers random(RandomNumbers(start).next());

  Storm storm;
  storm.name = fmt::format("seed {} storm {}", seed, index);
  storm.impacts.resize(static_cast<std::size_t>(impacts));
  for (Impact& impact : storm.impacts) {
    impact.position = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(cells)));
    impact.energy = static_cast<std::int32_t>(random.between(lowest_energy, highest_energy));
  }
  return storm;
}

}  // namespace bombard
