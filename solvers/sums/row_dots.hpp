#pragma once

#include <cstdint>
#include <span>

#include "solvers/kernel_timing.hpp"

/// Scalar products of pairs of rows: dots[i] = sum over j of a[i][j] * b[i][j]. T float or double;
/// products and sums in double, sums compensated (solvers/sums/compensated_sum.hpp): only the
/// products are rounded. Deterministic on a device.
///
/// a, b  dots.size() rows of `columns` elements
namespace bombard::cpu {
template <class T>
void row_dots(std::int64_t columns, std::span<const T> a, std::span<const T> b,
              std::span<double> dots);
}

namespace bombard {

/// Who multiplies rows on a GPU: a kernel of our own in one launch, or for comparison cuBLAS, by a
/// batch of 1 x columns by columns x 1 products with sums in T.
enum class RowDotsKernel { inhouse, cublas };

/// The same on the current device, from and to memory of the host, which the CUDA part registers.
/// `threads` a row: 32 (then 8 rows a block), 128, 256, 512 or 1024; 0 takes what suits the shape.
template <class T>
struct DeviceRowDots {
  void (*dots)(std::int64_t columns, std::span<const T> a, std::span<const T> b,
               std::span<double> dots, RowDotsKernel kernel, int threads, KernelTiming* timing);
};

}  // namespace bombard
