#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "bombard/maximum.hpp"

namespace bombard {

/// The cells of a layer in the precision that they were computed in.
using Layer = std::variant<std::vector<float>, std::vector<double>>;

/// The same cells as a view, without a copy.
using LayerView = std::variant<std::span<const float>, std::span<const double>>;

inline LayerView view_of(const Layer& layer) {
  return std::visit([](const auto& cells) -> LayerView { return std::span(cells); }, layer);
}

/// Puts more cells of the same precision behind those of a layer.
inline void append(Layer& layer, const Layer& more) {
  std::visit(
      [&]<class Value>(std::vector<Value>& cells) {
        const auto& others = std::get<std::vector<Value>>(more);
        cells.insert(cells.end(), others.begin(), others.end());
      },
      layer);
}

/// Any cell after a storm, with its value.
using CellValue = Maximum;

/// The highest peaks of a layer, the highest first. `complete_from` above 0: fewer than were asked
/// for are proved, and below it there may be others.
struct PeakList {
  std::vector<CellValue> peaks = {};
  double complete_from = 0;
  friend bool operator==(const PeakList&, const PeakList&) = default;
};

}  // namespace bombard
