#pragma once

#include <cstdint>

namespace bombard {

/// The most damaged point after a storm: the largest strict local maximum above 0, the smallest
/// position among equals; {0, 0} without one. A binary32 maximum is held exactly.
struct Maximum {
  std::int64_t position = 0;
  double value = 0;
  friend bool operator==(const Maximum&, const Maximum&) = default;
};

/// How an engine that leaves most of the arithmetic out came to a storm's maximum.
struct Evidence {
  bool direct;              ///< by all the arithmetic after all: nothing less proved the answer
  std::int64_t candidates;  ///< cells that could be the maximum and were computed by the rule
  double bound;             ///< on the relative difference from the rule at the fast layer's peak
  const char* why_direct = "";  ///< a clause for messages, if there is more to say
};

}  // namespace bombard
