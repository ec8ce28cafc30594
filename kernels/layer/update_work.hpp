#pragma once

#include <cstdint>

#include "kernels/counting/counting.hpp"
#include "kernels/layer/scaled_impact.hpp"
#include "kernels/share/attenuation.hpp"

/// The work of the loops over cells, which are compiled once for each instruction set from the same
/// source (update_loop.cpp, CMakeLists.txt); update() in kernels/layer/update.hpp calls those of
/// the chosen set. It has pointers and plain types only: an inline function of a library, compiled
/// here for AVX-512, could be the copy that the linker keeps for the whole program.
namespace bombard::cpu {

/// Impacts to add to `cells` cells from `first` on by a law. `divisors` points to the difference 0
/// of a DivisorTable, which extends to the difference `farthest_divisor`.
template <class Law>
struct UpdateWork {
  Law law;
  const ScaledImpact* impacts;
  std::int64_t count;
  float smallest;
  bool every_share_counts = false;
  const float* divisors = nullptr;
  std::int64_t farthest_divisor = -1;
  std::int64_t first = 0;
  float* layer;
  std::int64_t cells;
  CountingMemory* counting = nullptr;  ///< for update_by_counting(); update() does not count
};

namespace avx512 {
template <class Law>
void update(const UpdateWork<Law>& work);
}
namespace avx2 {
template <class Law>
void update(const UpdateWork<Law>& work);
void update_by_counting(const UpdateWork<SquareRootLaw>& work);
}  // namespace avx2
namespace baseline {
template <class Law>
void update(const UpdateWork<Law>& work);
void update_by_counting(const UpdateWork<SquareRootLaw>& work);
}  // namespace baseline

}  // namespace bombard::cpu
