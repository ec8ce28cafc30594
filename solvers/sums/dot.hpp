#pragma once

#include <span>

#include "bombard/matrix_views.hpp"
#include "solvers/implementation.hpp"

namespace bombard {

/// The scalar product of each row of `a` with the same row of `b` on a GPU, T float or double;
/// products and sums in double, sums compensated (solvers/sums/compensated_sum.hpp): only the
/// products are rounded. Deterministic. A block is the threads of a row.
template <class T>
using DeviceDot =
    Implementation<struct DotOperation, void(const DenseView<T>& a, const DenseView<T>& b,
                                             std::span<double> dots, KernelFigures*)>;

}  // namespace bombard
