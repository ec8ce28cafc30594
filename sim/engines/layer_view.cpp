#include "sim/engines/layer_view.hpp"

#include <algorithm>
#include <cstddef>
#include <variant>

namespace bombard {

namespace {

bool higher(const CellValue& a, const CellValue& b) {
  return a.value != b.value ? a.value > b.value : a.position < b.position;
}

/// A heap holds the highest peaks so far, the least of them on top: only what exceeds that is
/// looked at. Cells come by position, so that one of equal value never does.
template <class T>
std::vector<CellValue> highest(std::span<const T> layer, std::size_t count) {
  std::vector<CellValue> heap;
  T exceeded = 0;
  for (std::size_t k = 1; k + 1 < layer.size(); ++k) {
    const T value = layer[k];
    if (!(value > exceeded && value > layer[k - 1] && value > layer[k + 1])) continue;
    if (heap.size() == count) {
      std::ranges::pop_heap(heap, higher);
      heap.pop_back();
    }
    heap.push_back({static_cast<std::int64_t>(k), value});
    std::ranges::push_heap(heap, higher);
    if (heap.size() == count) exceeded = static_cast<T>(heap.front().value);
  }
  std::ranges::sort_heap(heap, higher);
  return heap;
}

}  // namespace

std::vector<CellValue> values_at(std::span<const CellRange> cells, const LayerView& layer) {
  std::vector<CellValue> values;
  for (const CellRange& range : cells) {
    for (std::int64_t k = range.begin; k < range.end; ++k) {
      const double value = std::visit(
          [&](const auto& of_layer) -> double { return of_layer[static_cast<std::size_t>(k)]; },
          layer);
      values.push_back({k, value});
    }
  }
  return values;
}

std::vector<CellValue> highest_peaks(const LayerView& layer, std::int64_t count) {
  if (count < 1) return {};
  return std::visit(
      [&](const auto& cells) { return highest(cells, static_cast<std::size_t>(count)); }, layer);
}

}  // namespace bombard
