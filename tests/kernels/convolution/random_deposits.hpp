#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "bombard/storm.hpp"

/// Deposits at from .. to-1, energies up to a million of one sign or of both.
inline std::vector<bombard::Impact> random_deposits(std::mt19937_64& random, std::int64_t count,
                                                    std::int64_t from, std::int64_t to,
                                                    bool signs) {
  std::vector<bombard::Impact> deposits;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto position =
        from + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(to - from));
    const auto energy = static_cast<std::int32_t>(random() % 1000000) + 1;
    deposits.push_back({position, signs && random() % 2 == 0 ? -energy : energy});
  }
  return deposits;
}
