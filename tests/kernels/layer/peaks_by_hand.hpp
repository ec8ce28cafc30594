#pragma once

#include <cstdint>
#include <vector>

namespace bombard::tests {

/// A small layer and its highest peak, {0, -1} if it has none.
struct PeakByHand {
  std::vector<float> layer;
  std::int64_t index;
  float value;
};
inline const std::vector<PeakByHand> peaks_by_hand = {
    {{9, 1, 2, 1, 4, 1, 9}, 4, 4},  // the ends are higher, but no peaks
    {{0, 3, 0, 3, 0}, 1, 3},        // the first of equals
    {{0, 3, 3, 0, 2, 0}, 4, 2},     // a plateau is not a peak
    {{-5, -1, -5}, -1, 0},          // nor is anything below zero
    {{-5, 0, -5}, -1, 0},           // or zero itself
    {{}, -1, 0},                    // fewer than three cells have none
    {{1}, -1, 0},
    {{1, 2}, -1, 0}};

}  // namespace bombard::tests
