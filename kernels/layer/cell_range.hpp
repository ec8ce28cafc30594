#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/base/host_device.hpp"

namespace bombard {

/// Cells begin .. end-1 of a layer, or of an array that holds some of a layer's cells.
struct CellRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  BOMBARD_HOST_DEVICE constexpr std::int64_t count() const { return end - begin; }
  BOMBARD_HOST_DEVICE constexpr bool contains(std::int64_t cell) const {
    return begin <= cell && cell < end;
  }
  constexpr bool contains(const CellRange& cells) const {
    return begin <= cells.begin && cells.end <= end;
  }

  /// The same cells, numbered so that cell `origin` is cell 0.
  constexpr CellRange counted_from(std::int64_t origin) const {
    return {begin - origin, end - origin};
  }

  /// This range with `cells` more cells on each side, except where a layer of `total` cells ends.
  constexpr CellRange widened(std::int64_t cells, std::int64_t total) const {
    return {begin > cells ? begin - cells : 0, end < total - cells ? end + cells : total};
  }

  /// The cells that are in both ranges; none (count() <= 0) if the ranges do not overlap.
  constexpr CellRange common(const CellRange& other) const {
    return {begin > other.begin ? begin : other.begin, end < other.end ? end : other.end};
  }

  friend bool operator==(const CellRange&, const CellRange&) = default;
};

/// The elements of an array in this range.
template <class T>
std::span<T> slice(std::span<T> array, const CellRange& elements) {
  return array.subspan(static_cast<std::size_t>(elements.begin),
                       static_cast<std::size_t>(elements.count()));
}

}  // namespace bombard
