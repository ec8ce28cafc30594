#pragma once

#include <span>

#include "bombard/solve.hpp"
#include "solvers/kernel_timing.hpp"

namespace bombard {

/// Which kernel sorts on a GPU: the in-house bitonic network, n log2(n)^2 / 4 comparisons and no
/// memory but the keys', or CUB's radix sort.
enum class SortKernel { bitonic, radix };

/// solve::sort() in ascending order on the current device, of values in memory of the host, which
/// the CUDA part registers. Equal values are equal bits, so every sort gives the same bits.
template <class T>
struct DeviceSort {
  void (*sort)(std::span<T> values, SortKernel kernel, KernelTiming* timing);
};

}  // namespace bombard
