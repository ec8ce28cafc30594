#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>

#include "solvers/implementation.hpp"
#include "solvers/sums/smaller.hpp"

namespace bombard {

/// The value that no other exceeds.
template <class T>
constexpr T no_minimum = std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                              : std::numeric_limits<T>::max();

/// Updates the element-wise minimum with matrices that are stored one after another.
template <class T>
void take_minima(std::span<const T> matrices, std::array<T, 9>& least) {
  for (std::size_t at = 0; at < matrices.size(); at += 9) {
    for (std::size_t i = 0; i < 9; ++i) least[i] = smaller(least[i], matrices[at + i]);
  }
}

/// The same on a GPU.
template <class T>
using DeviceMinima =
    Implementation<struct MinimaOperation,
                   void(std::span<const T> matrices, std::array<T, 9>& least, KernelFigures*)>;

}  // namespace bombard
