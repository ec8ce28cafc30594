#pragma once

#include <vector>

#include "inputs/matrix.hpp"
#include "solvers/device_choice.hpp"

namespace bombard {

struct RowDots {
  std::vector<double> values;
  bool on_gpu;
};

/// The scalar products of the rows of A with those of B, T float or double: N values, sums in
/// double. The same numbers every time on one device. Throws InputError for shapes that differ.
///
/// a, b  N x D
template <class T>
RowDots row_dots(const DenseView<T>& a, const DenseView<T>& b, const DeviceChoice& device);

}  // namespace bombard
