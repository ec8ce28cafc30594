#include "sim/generation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "inputs/errors.hpp"
#include "kernels/host_memory.hpp"

namespace bombard {

namespace {

__extension__ using Product = unsigned __int128;

/// SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014), with
/// the constants of Vigna's splitmix64.c.
class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

  /// Uniform in 0..range-1, range >= 1: the high half of next() * range, redrawn where the low half
  /// would favour a value. Lemire, "Fast random integer generation in an interval" (2019).
  std::uint64_t below(std::uint64_t range) {
    Product product = Product{next()} * range;
    if (static_cast<std::uint64_t>(product) < range) {
      const std::uint64_t excess = (0 - range) % range;  // 2^64 modulo range
      while (static_cast<std::uint64_t>(product) < excess) product = Product{next()} * range;
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

 private:
  std::uint64_t state_;
};

}  // namespace

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
  constexpr std::int64_t impact_bytes = sizeof(Impact);
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / impact_bytes;
  require_host_memory(std::min(impacts, most) * impact_bytes,
                      fmt::format("a storm of {} impacts", impacts));

  // The storms of a seed start at unrelated places of the generator's one long cycle.
  const std::uint64_t start = RandomNumbers(seed).next() + static_cast<std::uint64_t>(index);
  RandomNumbers random(RandomNumbers(start).next());
  const std::uint64_t energies =
      static_cast<std::uint64_t>(std::int64_t{highest_energy} - std::int64_t{lowest_energy} + 1);

  Storm storm;
  storm.name = fmt::format("seed {} storm {}", seed, index);
  storm.impacts.resize(static_cast<std::size_t>(impacts));
  for (Impact& impact : storm.impacts) {
    impact.position = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(cells)));
    impact.energy = static_cast<std::int32_t>(lowest_energy +
                                              static_cast<std::int64_t>(random.below(energies)));
  }
  return storm;
}

}  // namespace bombard
