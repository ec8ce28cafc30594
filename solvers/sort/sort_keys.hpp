#pragma once

#include <functional>
#include <span>

#include "bombard/solve.hpp"
#include "solvers/kernel_timing.hpp"

namespace bombard {

using SortOrder = solve::Order;

/// Which kernel sorts on a GPU: the in-house bitonic network, n log2(n)^2 / 4 comparisons and no
/// memory but the values', or CUB's radix sort.
enum class SortKernel { bitonic, radix };

}  // namespace bombard

/// Sorts in place, T std::int32_t, float or double, any number of values. NaN stands last in either
/// order (its sign is lost), -0 below +0: equal values are equal bits, so every sort gives the same
/// bits. `interrupt`, if there is one, is called several times a second in the caller's thread;
/// what it throws ends the call, and the values are as before.
namespace bombard::cpu {
template <class T>
void sort(std::span<T> values, SortOrder order, const std::function<void()>& interrupt = {});
}

namespace bombard {

/// The same on the current device of values in memory of the host, which the CUDA part registers.
template <class T>
struct DeviceSort {
  void (*sort)(std::span<T> values, SortOrder order, SortKernel kernel, KernelTiming* timing);
};

}  // namespace bombard
