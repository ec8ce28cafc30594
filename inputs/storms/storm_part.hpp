#pragma once

#include <cstdint>
#include <vector>

#include "bombard/storm.hpp"

namespace bombard {

/// One of several parts of a storm's file, all of about the same size, and the threads that read
/// it.
struct StormPart {
  int number;  ///< from 0
  int parts;
  int threads;

  /// The only part.
  static StormPart whole(int threads) { return {0, 1, threads}; }

  /// Of `count` bytes, or rows, the part has those from begin_of(count) to end_of(count) - 1.
  std::int64_t begin_of(std::int64_t count) const { return share(count, number); }
  std::int64_t end_of(std::int64_t count) const { return share(count, number + 1); }

  /// count * n / parts, without the large product.
  std::int64_t share(std::int64_t count, std::int64_t n) const {
    return count / parts * n + count % parts * n / parts;
  }
};

/// The impacts of a part, in file order. Those of all parts, one after the other, are the storm's.
struct ImpactsOfPart {
  std::int64_t announced;  ///< impacts of the whole storm
  std::vector<Impact> impacts;
};

}  // namespace bombard
