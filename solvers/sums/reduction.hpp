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

/// One element or more, combined by CUB on a GPU in an order that depends only on their number.
/// `Combine` is associative, commutative and idempotent.
template <class Element, class Combine>
using DeviceCombined =
    Implementation<Combine, Element(std::span<const Element> elements, KernelFigures*)>;

}  // namespace bombard
