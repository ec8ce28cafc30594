#pragma once

#include <cstdint>
#include <span>

#include "bombard/solve.hpp"
#include "solvers/kernel.hpp"

namespace bombard {

/// solve::sum() on a GPU, by CUB. Deterministic on a device. For float there are also sums in
/// float, for comparison: CUB's, and some with one element for each thread, which the block
/// combines.
template <class T>
using DeviceSum =
    Kernel<struct SumOperation, solve::Sum<T>(std::span<const T> values, double* seconds)>;

/// One element or more, combined by CUB on a GPU in an order that depends only on their number.
/// `Combine` is associative, commutative and idempotent.
template <class Element, class Combine>
using DeviceCombined = Kernel<Combine, Element(std::span<const Element> elements, double* seconds)>;

}  // namespace bombard
