#pragma once

#include <cstdint>

#include "kernels/base/indexed_value.hpp"

namespace bombard {

/// A strict local maximum above 0 of a layer in binary64; {0, -1}: there is none.
using LayerPeak = Indexed<double>;

/// What the search of a layer after a storm has found.
struct Screened {
  LayerPeak peak;            ///< the largest
  double least;              ///< a lower bound on the maximum if the rule has that peak, too
  unsigned long long count;  ///< number of cells that may be the maximum then, as far as counted
};

/// A cell that may be the maximum, and how large the rule's value can be.
struct Candidate {
  std::int64_t cell;
  double upper;
};

}  // namespace bombard
