#pragma once

#include <cstdint>
#include <span>

#include "bombard/storm.hpp"
#include "kernels/base/indexed_value.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/layer/part.hpp"
#include "kernels/layer/rule.hpp"

namespace bombard::cuda {

/// Update, relax and max-location of a storm in one launch, bit-identical to the kernels of those
/// names: a tile of cells, with a margin of two cells on each side, stays in registers. Made once
/// for a part of a layer, because the highest peaks of tiles need memory.
class FusedStorm {
 public:
  FusedStorm(const LayerRule& rule, const Part& part);

  /// Works on the cells held by the part, and never relaxes the first and the last of them. Returns
  /// the highest peak among its own cells, with its index among the cells held, the smallest among
  /// equals; {0, -1} if there is none. Waits for it.
  ///
  /// impacts             in file order
  /// every_share_counts  it is known that no share needs a test
  /// before              the cells held before the storm, or empty for zeros
  /// after               the cells held after it, or empty if they are not needed; does not overlap
  ///                     `before`
  ///
  /// Spans are in device memory.
  IndexedValue operator()(std::span<const Impact> impacts, bool every_share_counts,
                          std::span<const float> before, std::span<float> after);

 private:
  LayerRule rule_;
  Part part_;
  DeviceArray<IndexedValue> of_tile_, highest_{1};
  DeviceArray<unsigned> arrived_{1};  ///< tiles; 0 between launches
};

}  // namespace bombard::cuda
