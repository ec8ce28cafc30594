#pragma once

#include "tools/judge/cases.hpp"

namespace bombard::judge {

/// How long the sequential program takes for a case: impacts outside, cells inside, a root and its
/// divisions for each share, as a compiler makes it of the published text with -O3.
struct SequentialTime {
  double seconds = 0;
  bool is_estimate = false;  ///< a part of the work was timed
};

/// Runs the program itself where that takes up to about a tenth of a second, else a part of it.
SequentialTime sequential_time(const Case& tried);

}  // namespace bombard::judge
