#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "inputs/matrix.hpp"
#include "inputs/matrix_set.hpp"
#include "kernels/device/device.hpp"
#include "solvers/device_choice.hpp"
#include "solvers/jacobi/jacobi.hpp"
#include "solvers/jacobi/sweeps.hpp"
#include "solvers/product/multiply.hpp"
#include "solvers/product/product.hpp"
#include "solvers/sort/sort.hpp"
#include "solvers/sums/reduction.hpp"

/// What the CUDA part registers for the solvers: the same problems, once checked, on the current
/// device. Spans are of host memory; calls return when the answer is there, and throw CannotRun
/// when the device lacks the memory.
namespace bombard {

template <class T>
struct DeviceJacobi {
  JacobiProgress (*dense)(const DenseView<T>& a, std::span<const T> diagonal, std::span<const T> b,
                          std::span<T> x, const JacobiOptions& options);
  JacobiProgress (*sparse)(const SparseView<T>& a, std::span<const T> diagonal,
                           std::span<const T> b, std::span<T> x, const JacobiOptions& options);
};

/// Returns the kernel that ran.
template <class T>
struct DeviceProduct {
  ProductKernel (*multiply)(ProductShape shape, std::span<const T> a, std::span<const T> b,
                            std::span<T> c, ProductKernel kernel);
};

template <class T>
struct DeviceRowDots {
  void (*dots)(std::int64_t columns, std::span<const T> a, std::span<const T> b,
               std::span<double> dots);
};

template <class T>
struct DeviceSort {
  void (*sort)(std::span<T> values, SortOrder order, SortKernel kernel);
};

template <class T>
struct DeviceReductions {
  SumOf<T> (*sum)(std::span<const T> values);
  T (*maximum)(std::span<const T> values);
};

/// Of a set that is read by `threads` threads.
struct DeviceMinima {
  MatrixSetMinima (*minima)(const MatrixSetFile& set, int threads, int device);
};

}  // namespace bombard
