#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include "bombard/storm.hpp"

/// Random numbers and storms for tests: the same for the same seed on every machine.
using Random = std::mt19937_64;

/// From 0 to bound-1.
inline std::int64_t below(Random& random, std::int64_t bound) {
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
}

/// Impacts on cells from .. to-1, energies up to `most` of one sign or of both.
inline std::vector<bombard::Impact> random_impacts(Random& random, std::int64_t count,
                                                   std::int64_t from, std::int64_t to,
                                                   bool both_signs = false,
                                                   std::int64_t most = 1'000'000) {
  std::vector<bombard::Impact> impacts;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t position = from + below(random, to - from);
    const auto energy = static_cast<std::int32_t>(1 + below(random, most));
    impacts.push_back({position, both_signs && below(random, 2) == 0 ? -energy : energy});
  }
  return impacts;
}

/// How many random cases a test tries: BOMBARD_CASES, or `without_the_variable` (CONTRIBUTING.md).
inline std::uint64_t cases(std::uint64_t without_the_variable) {
  const char* const wanted = std::getenv("BOMBARD_CASES");
  return wanted == nullptr ? without_the_variable : std::strtoull(wanted, nullptr, 10);
}
