#pragma once

#include <span>

#include "bombard/solve.hpp"
#include "solvers/implementation.hpp"

namespace bombard {

/// solve::sort() in ascending order on a GPU: "radix", CUB's, and "bitonic", the in-house network,
/// with n log2(n)^2 / 4 comparisons and no memory beyond the keys. Equal values have equal bits, so
/// both give the same bits.
template <class T>
using DeviceSort = Implementation<struct SortOperation, void(std::span<T> values, KernelFigures*)>;

}  // namespace bombard
