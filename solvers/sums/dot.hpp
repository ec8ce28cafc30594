#pragma once

#include <span>

#include "bombard/matrix_views.hpp"
#include "solvers/kernel_timing.hpp"

namespace bombard {

/// Which kernel multiplies rows on a GPU: ours in one launch, or for comparison cuBLAS, by a batch
/// of 1 x columns by columns x 1 products with sums in T.
enum class DotKernel { inhouse, cublas };

/// The scalar product of each row of `a` with the same row of `b` on the current device, from and
/// to memory of the host, which the CUDA part registers. Of T float or double; products and sums in
/// double, sums compensated (solvers/sums/compensated_sum.hpp): only the products are rounded.
/// Deterministic. `threads` a row: 32 (then 8 rows a block), 128, 256, 512 or 1024; 0 takes what
/// suits the shape.
template <class T>
struct DeviceDot {
  void (*dot)(const DenseView<T>& a, const DenseView<T>& b, std::span<double> dots,
              DotKernel kernel, int threads, KernelTiming* timing);
};

}  // namespace bombard
