#pragma once

#include <cstdint>
#include <span>

#include "bombard/solve.hpp"
#include "solvers/implementation.hpp"

namespace bombard {

/// solve::sum() on a GPU. Deterministic on a device. "in-house" has many elements for each thread,
/// one launch and sums in double; for float there are also sums in float, for comparison: CUB's,
/// and some with one element for each thread, which the block combines.
template <class T>
using DeviceSum =
    Implementation<struct SumOperation, solve::Sum<T>(std::span<const T> values, KernelFigures*)>;

/// solve::maximum() of one value or more on a GPU.
template <class T>
using DeviceMaximum =
    Implementation<struct MaximumOperation, T(std::span<const T> values, KernelFigures*)>;

}  // namespace bombard
