#pragma once

#include <array>
#include <span>

namespace bombard {

/// Eigen's element-wise minima of 3x3 matrices that stand one after another, which `--validate` and
/// tests compare with.
template <class T>
std::array<T, 9> minima_reference(std::span<const T> matrices);

}  // namespace bombard
