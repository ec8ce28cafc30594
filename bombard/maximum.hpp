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
  /// True when the engine did all the arithmetic, because nothing less proved the answer.
  bool direct = false;
  std::int64_t candidates = 0;  ///< cells that could be the maximum and were computed by the rule
  double bound = 0;  ///< on the relative difference of the fast layer from the rule at the maximum
  const char* why_direct = "";  ///< a clause for messages, if there is more to say
  /// For an engine that stores no layer: the number of cells that it looked at, and a clause for
  /// messages that says why it had to store the layer after all.
  std::int64_t cells_seen = 0;
  const char* why_dense = "";
  /// In double precision nothing is confirmed, and the first three have no meaning.
  bool true_sums = false;
};

}  // namespace bombard
