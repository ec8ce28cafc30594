#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "bombard/solve.hpp"
#include "kernels/base/host_device.hpp"
#include "solvers/kernel.hpp"

namespace bombard {

using solve::JacobiSettings;

/// How far an iteration got.
struct JacobiProgress {
  std::int64_t iterations = 0;
  double change = 0;  ///< max|x_new - x_old| / max|x_new|; NaN when x overflowed
  bool converged = false;

  BOMBARD_HOST_DEVICE bool goes_on(std::int64_t limit) const {
    return iterations < limit && !converged && !std::isnan(change);
  }
};

/// The progress after a sweep with this max|x_new - x_old| and max|x_new|, which is not finite when
/// an element of x is not.
BOMBARD_HOST_DEVICE inline JacobiProgress after_sweep(std::int64_t iterations, double difference,
                                                      double largest, double tolerance) {
  if (!std::isfinite(largest)) return {iterations, NAN, false};
  return {iterations, difference == 0 ? 0 : difference / largest,
          difference <= tolerance * largest};
}

/// Jacobi-Richardson iteration, T float or double: x_i <- x_i + (b_i - sum_j a_ij x_j) / a_ii for
/// all i from the previous x; it stops by the tolerance, the limit and the interrupt of `stop`, and
/// when x is no longer finite. Deterministic on a device. This one runs on a GPU, with one launch
/// for many sweeps, for DenseView<float> ... SparseView<double>.
///
/// a            n x n
/// diagonal, b  n; no zero in the diagonal
/// x            n; the start on entry, the last iterate on return
template <class T, class Matrix>
using DeviceJacobi =
    Kernel<struct JacobiOperation,
           JacobiProgress(const Matrix& a, std::span<const T> diagonal, std::span<const T> b,
                          std::span<T> x, const JacobiSettings& stop, double* seconds)>;

}  // namespace bombard

namespace bombard::cpu {

/// The same on the CPU.
template <class T, class Matrix>
JacobiProgress jacobi(const Matrix& a, std::span<const T> diagonal, std::span<const T> b,
                      std::span<T> x, const JacobiSettings& stop);

}  // namespace bombard::cpu
