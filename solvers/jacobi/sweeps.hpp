#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "bombard/matrix_views.hpp"
#include "solvers/kernel_timing.hpp"

namespace bombard {

/// How far an iteration came.
struct JacobiProgress {
  std::int64_t iterations = 0;
  double change = 0;  ///< max|x_new - x_old| / max|x_new|; NaN when x overflowed
  bool converged = false;
};

/// When an iteration stops.
struct JacobiStop {
  double tolerance;    ///< when max|x_new - x_old| <= tolerance * max|x_new|
  std::int64_t limit;  ///< the most sweeps
  /// Called several times a second; an exception of it ends the iteration.
  std::function<void()> interrupt = {};
};

/// Who sweeps on a GPU: one launch for the whole iteration, or the usual way, for comparison and of
/// dense matrices only: a cuBLAS gemv, one kernel for x and its change, and a host that looks at
/// the change after every sweep.
enum class JacobiKernel { inhouse, gemv };

/// Jacobi-Richardson iteration, T float or double: x_i <- x_i + (b_i - sum_j a_ij x_j) / a_ii for
/// all i from the x of before; it ends early when x is no longer finite. Deterministic on a device.
/// This one runs on the current device, from and to memory of the host; the CUDA part registers it
/// for each kind of matrix: DenseView<float> ... SparseView<double>.
///
/// a            n x n
/// diagonal, b  n; no zero in the diagonal
/// x            n; the start on entry, the last iterate on return
template <class T, class Matrix>
struct DeviceJacobi {
  JacobiProgress (*iterate)(const Matrix& a, std::span<const T> diagonal, std::span<const T> b,
                            std::span<T> x, const JacobiStop& stop, JacobiKernel kernel,
                            KernelTiming* timing);
};

}  // namespace bombard

namespace bombard::cpu {

/// The same on the processor.
template <class T, class Matrix>
JacobiProgress jacobi(const Matrix& a, std::span<const T> diagonal, std::span<const T> b,
                      std::span<T> x, const JacobiStop& stop);

}  // namespace bombard::cpu
