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

  /// Of so many bytes, or rows, those from begin_of(count) to end_of(count) - 1.
  std::int64_t begin_of(std::int64_t count) const { return share(count, number); }
  std::int64_t end_of(std::int64_t count) const { return share(count, number + 1); }

  /// count * n / parts, without the large product.
  std::int64_t share(std::int64_t count, std::int64_t n) const {
    return count / parts * n + count % parts * n / parts;
  }
};

/// What is in a part, in file order. Those of all parts, one after the other, are the storm's.
struct ImpactsOfPart {
  std::int64_t announced;  ///< impacts of the whole storm
  std::vector<Impact> impacts;
};

}  // namespace bombard
