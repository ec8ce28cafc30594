#pragma once

#include <functional>
#include <span>

#include "solvers/device_choice.hpp"
#include "solvers/sort/sort_keys.hpp"

namespace bombard {

/// Which kernel sorts on a GPU: the in-house bitonic network or CUB's radix sort.
enum class SortKernel { bitonic, radix };

/// Sorts `values` in place, T std::int32_t, float or double, any length. NaN stands last in either
/// order (its sign is lost), -0 below +0. On the processor `interrupt` is called as cpu::sort()
/// does. Returns whether it ran on a GPU.
template <class T>
bool sort(std::span<T> values, SortOrder order, SortKernel kernel, const DeviceChoice& device,
          const std::function<void()>& interrupt = {});

}  // namespace bombard
