#pragma once

#include <span>

#include "solvers/sums/reduction.hpp"
#include "solvers/sums/smaller.hpp"

namespace bombard {

/// A 3x3 matrix row by row, as it stands among others.
template <class T>
struct Matrix3x3 {
  T elements[9];
};

/// The matrices that are stored one after another.
template <class T>
std::span<const Matrix3x3<T>> matrices_of(std::span<const T> elements) {
  return {reinterpret_cast<const Matrix3x3<T>*>(elements.data()), elements.size() / 9};
}

/// The element-wise minimum.
struct SmallerElements {
  template <class T>
  BOMBARD_HOST_DEVICE Matrix3x3<T> operator()(Matrix3x3<T> a, const Matrix3x3<T>& b) const {
    for (int i = 0; i < 9; ++i) a.elements[i] = Smaller()(a.elements[i], b.elements[i]);
    return a;
  }
};

template <class T>
using DeviceMinima = DeviceCombined<Matrix3x3<T>, SmallerElements>;

}  // namespace bombard
