#pragma once

#include <cstdint>
#include <vector>

#include "bombard/storm.hpp"

namespace bombard {

/// One of several parts of a storm's file that are about as large, read by so many threads.
struct StormPart {
  int number;  ///< from 0
  int parts;
  int threads;
};

/// What is in a part, in file order. Those of all parts, one after the other, are the storm's.
struct ImpactsOfPart {
  std::int64_t announced;  ///< impacts of the whole storm
  std::vector<Impact> impacts;
};

}  // namespace bombard
