#pragma once

#include <span>

#include "bombard/solve.hpp"
#include "solvers/kernel.hpp"

namespace bombard {

/// Sorts numbers, without NaN, in ascending order on a GPU: "radix", CUB's, and "bitonic", the
/// in-house network, with n log2(n)^2 / 4 comparisons and no memory beyond the values.
template <class T>
using DeviceSort = Kernel<struct SortOperation, void(std::span<T> values, double* seconds)>;

}  // namespace bombard
