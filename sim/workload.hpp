#pragma once

#include <cstdint>

namespace bombard {

/// The size of a run.
struct Workload {
  std::int64_t cells;
  std::int64_t impacts;  ///< of all storms together
  std::int64_t storms;
};

}  // namespace bombard
