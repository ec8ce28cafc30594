#pragma once

#include <array>
#include <cstdint>
#include <variant>

namespace bombard {

/// The element-wise minimum of a set of 3x3 matrices, row by row, and the number of matrices. Every
/// value that a set can hold (int32, float32, float64) is exact in double.
struct MatrixSetMinima {
  std::int64_t matrices = 0;
  std::array<double, 9> values{};
  /// A zero of the type of the set's elements: every value has one of that type.
  std::variant<std::int32_t, float, double> element;
};

}  // namespace bombard
