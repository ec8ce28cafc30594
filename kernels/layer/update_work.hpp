#pragma once

#include <cstdint>

#include "kernels/counting/counting.hpp"
#include "kernels/layer/scaled_impact.hpp"
#include "kernels/share/attenuation.hpp"

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

/// The loops over the cells (update_loop.cpp, kernels/counting/counting_loop.cpp).
template <class Law>
void update(const UpdateWork<Law>& work);
namespace counting {
void update_by_counting(const UpdateWork<SquareRootLaw>& work);
}

}  // namespace bombard::cpu
