#pragma once

#include <span>

#include "bombard/matrices.hpp"
#include "solvers/kernel.hpp"

namespace bombard {

/// The scalar product of each row of `a` with the same row of `b` on a GPU, T float or double;
/// products and sums in double. Deterministic. A block is the threads of a row.
template <class T>
using DeviceDot = Kernel<struct DotOperation, void(const DenseView<T>& a, const DenseView<T>& b,
                                                   std::span<double> dots, double* seconds)>;

}  // namespace bombard
