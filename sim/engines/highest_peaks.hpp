#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bombard/layer.hpp"
#include "kernels/layer/cell_range.hpp"

namespace bombard {

/// The highest peaks so far, of equal ones those of smaller position: a heap, the least of them on
/// top.
class HighestPeaks {
 public:
  /// Up to `count` peaks, 1 or more, that are higher than `above`.
  HighestPeaks(std::size_t count, double above) : count_(count), above_(above) {}

  /// A lower cell is no longer taken.
  double least() const { return heap_.size() < count_ ? above_ : heap_.front().value; }
  bool takes(const CellValue& peak) const;
  /// Adds a peak for which takes() is true.
  void add(const CellValue& peak);
  /// The highest first.
  std::vector<CellValue> sorted() &&;

 private:
  std::size_t count_;
  double above_;
  std::vector<CellValue> heap_;
};

/// Sorts peaks, the highest first, of equal ones the smaller position, and keeps each once.
void sort_peaks(std::vector<CellValue>& peaks);

/// The `count` highest peaks of a layer, or all peaks where there are fewer: cells above 0 that
/// exceed both their neighbours, the two ends left out. Highest first, of equal ones the smaller
/// position first; so the first one is the layer's maximum. NaN is not a peak, and no cell beside
/// it is one.
std::vector<CellValue> highest_peaks(const LayerView& layer, std::int64_t count);

/// The values of these cells of a layer, in the order of the list.
std::vector<CellValue> values_at(const LayerView& layer, std::span<const CellRange> cells);

}  // namespace bombard
