#pragma once

#include <cstdint>

namespace bombard {

/// The most damaged point after a storm: the largest strict local maximum above 0, at the smallest
/// position among equals; {0, 0} if there is none. A binary32 maximum is held exactly.
struct Maximum {
  std::int64_t position = 0;
  double value = 0;
  friend bool operator==(const Maximum&, const Maximum&) = default;
};

/// How a fast or a sparse engine, which leaves out most of the arithmetic, found the maximum of a
/// storm.
struct Evidence {
  /// True when it gave up, and a direct engine did all the arithmetic.
  bool direct = false;
  std::int64_t candidates = 0;  ///< cells that could be the maximum and were computed by the rule
  double bound = 0;  ///< on the relative difference of the fast layer from the rule at the maximum
  /// For an engine that stores no layer: the number of cells that it looked at.
  std::int64_t cells_seen = 0;
  /// A clause for messages that says why the engine before gave up; empty if none has.
  const char* why = "";
};

}  // namespace bombard
