#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bombard/settings.hpp"
#include "kernels/base/indexed_value.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/layer/cell_range.hpp"

/// Max-location: the largest value among the cells 1 .. size-2 of a span that are above 0 and
/// larger than both their neighbours, and its index in the span (the smallest index among equals);
/// {0, -1} if there is no such cell.
namespace bombard::cpu {
IndexedValue max_location(std::span<const float> layer);
}

namespace bombard::cuda {

/// The same on a GPU. Made once for layers of a size, because the reduction needs memory.
class MaxLocation {
 public:
  /// For `cells` cells to choose from.
  MaxLocation(Reduction reduction, std::int64_t cells);

  /// Only cells of `own` are chosen. The span is in device memory; waits for the answer.
  IndexedValue operator()(std::span<const float> layer, const CellRange& own);

 private:
  Reduction reduction_;
  DeviceArray<IndexedValue> highest_{1}, of_block_;
  DeviceArray<unsigned> arrived_{1};  ///< blocks; 0 between launches
  DeviceArray<std::byte> cub_memory_;
};

}  // namespace bombard::cuda
