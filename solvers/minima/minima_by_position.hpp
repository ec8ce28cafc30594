#pragma once

#include <cstdint>
#include <span>

#include "solvers/kernel_timing.hpp"

namespace bombard {

constexpr std::int64_t matrix_positions = 9;  ///< of a 3x3 matrix, row by row

}  // namespace bombard

/// Element-wise minimum of 3x3 matrices, T std::int32_t, float or double; a NaN makes its
/// position's minimum NaN, -0 is below +0 (solvers/sums/smaller.hpp): the same bits in any order.
///
/// values    9 * stride: matrix m's element at `position` is values[position * stride + m]
/// matrices  at most stride
/// minima    9; their values on entry take part
namespace bombard::cpu {
template <class T>
void minima(std::span<const T> values, std::int64_t stride, std::int64_t matrices,
            std::span<T> minima);
}

namespace bombard {

/// Who finds minima on a GPU: the in-house reduction in one launch, or for comparison CUB, in nine
/// calls, which leaves out what is in `minima` on entry and takes a stride of `matrices`.
enum class MinimaKernel { inhouse, cub };

/// The same on the current device, from and to memory of the host, which the CUDA part registers.
template <class T>
struct DeviceMinimaByPosition {
  void (*minima)(std::span<const T> values, std::int64_t stride, std::int64_t matrices,
                 std::span<T> minima, MinimaKernel kernel, KernelTiming* timing);
};

}  // namespace bombard
