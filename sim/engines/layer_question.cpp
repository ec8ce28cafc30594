#include "sim/engines/layer_question.hpp"

#include <algorithm>
#include <cstddef>

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

template <class T>
LayerAnswer answer(const LayerQuestion& question, std::span<const T> layer) {
  LayerAnswer answer;
  for (const CellRange& range : question.cells) {
    for (std::int64_t k = range.begin; k < range.end; ++k) {
      answer.cells.push_back({k, layer[static_cast<std::size_t>(k)]});
    }
  }
  if (question.peaks > 0) {
    answer.peaks = highest(layer, static_cast<std::size_t>(question.peaks));
  }
  return answer;
}

}  // namespace

LayerAnswer answer(const LayerQuestion& question, const LayerView& layer) {
  return std::visit([&](const auto& cells) { return answer(question, cells); }, layer);
}

}  // namespace bombard
