#pragma once

#include <cstdint>

#include "kernels/counting/counting.hpp"
#include "kernels/layer/scaled_impact.hpp"
#include "kernels/share/attenuation.hpp"

/// The loops over cells, compiled once for each instruction set from the same source (*_loop.cpp,
/// CMakeLists.txt); update() calls those of the chosen one. Pointers and plain types only: an
/// inline function of a library, compiled here for AVX-512, could be the copy that the linker keeps
/// for the whole program.
namespace bombard::cpu {

/// Impacts to add to `cells` cells from `first` on, by a law. `divisors` points at difference 0 of
/// a DivisorTable that goes this far.
template <class Law>
struct UpdateWork {
  Law law;
  const ScaledImpact* impacts;
  std::int64_t count;
  float smallest;
  bool every_share_counts;
  const float* divisors;
  std::int64_t farthest_divisor;
  std::int64_t first;
  float* layer;
  std::int64_t cells;
  CountingMemory* counting;  ///< null, or by another law: shares are added one after another
};

struct VectorKernels {
  void (*update_by_square_root)(const UpdateWork<SquareRootLaw>& work);
  void (*update_by_power)(const UpdateWork<GeneralLaw>& work);
};

namespace avx512 {
extern const VectorKernels vector_kernels;
}
namespace avx2 {
extern const VectorKernels vector_kernels;
}
namespace baseline {
extern const VectorKernels vector_kernels;
}

/// The kernels for instruction_set().
const VectorKernels& vector_kernels();

}  // namespace bombard::cpu
