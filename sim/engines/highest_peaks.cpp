#include "sim/engines/highest_peaks.hpp"

#include <algorithm>
#include <utility>

#include "kernels/base/indexed_value.hpp"

namespace bombard {

namespace {

bool comes_first(const CellValue& a, const CellValue& b) {
  return is_higher(a.value, a.position, b.value, b.position);
}

template <class T>
std::vector<CellValue> highest(std::span<const T> layer, std::size_t count) {
  HighestPeaks peaks(count, 0);
  T least = 0;
  for (std::size_t k = 1; k + 1 < layer.size(); ++k) {
    const T value = layer[k];
    if (!(value > least && value > layer[k - 1] && value > layer[k + 1])) continue;
    peaks.add({static_cast<std::int64_t>(k), value});
    least = static_cast<T>(peaks.least());
  }
  return std::move(peaks).sorted();
}

}  // namespace

bool HighestPeaks::takes(const CellValue& peak) const {
  return heap_.size() < count_ ? peak.value > above_ : comes_first(peak, heap_.front());
}

void HighestPeaks::add(const CellValue& peak) {
  if (heap_.size() == count_) {
    std::ranges::pop_heap(heap_, comes_first);
    heap_.pop_back();
  }
  heap_.push_back(peak);
  std::ranges::push_heap(heap_, comes_first);
}

std::vector<CellValue> HighestPeaks::sorted() && {
  std::ranges::sort_heap(heap_, comes_first);
  return std::move(heap_);
}

void sort_peaks(std::vector<CellValue>& peaks) {
  std::ranges::sort(peaks, comes_first);
  peaks.erase(std::unique(peaks.begin(), peaks.end()), peaks.end());
}

std::vector<CellValue> highest_peaks(const LayerView& layer, std::int64_t count) {
  if (count == 0) return {};
  return std::visit(
      [&](const auto& cells) { return highest(cells, static_cast<std::size_t>(count)); }, layer);
}

std::vector<CellValue> values_at(const LayerView& layer, std::span<const CellRange> cells) {
  std::vector<CellValue> values;
  const auto add = [&](const auto& of_layer) {
    for (const CellRange& range : cells) {
      for (std::int64_t k = range.begin; k < range.end; ++k) {
        values.push_back({k, of_layer[static_cast<std::size_t>(k)]});
      }
    }
  };
  std::visit(add, layer);
  return values;
}

}  // namespace bombard
