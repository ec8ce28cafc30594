#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace bombard::cpu {

/// The values of a chord at its two ends, the first and the last of some cells.
struct Chord {
  double first = 0, last = 0;
};

/// The highest sum of a cell's value and the chord there; 0 if none is above 0.
inline double highest_on(const Chord& chord, const std::vector<double>& values) {
  const double slope =
      values.size() > 1 ? (chord.last - chord.first) / static_cast<double>(values.size() - 1) : 0;
  double highest = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    highest = std::max(highest, values[k] + (chord.first + slope * static_cast<double>(k)));
  }
  return highest;
}

}  // namespace bombard::cpu
