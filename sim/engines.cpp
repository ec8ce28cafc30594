#include "sim/engines.hpp"

#include <array>

namespace bombard {

std::span<const EngineEntry> engines() {
  static constexpr std::array entries{
      EngineEntry{"reference", false, "Eigen, one thread: written to be read", 1e9, make_reference},
      EngineEntry{"cpu_direct", false, "OpenMP and vector instructions, storms fused tile by tile",
                  2e10, make_cpu_direct},
      EngineEntry{"cpu_fast", false, "exponential sums, and the rule where the maximum can be", 1e13,
                  make_cpu_fast, true},
      EngineEntry{"cuda_staged", true,
                  "separate kernels: initialise, update, copy, relax, max-location", 6e11,
                  make_cuda_staged},
      EngineEntry{"cuda_direct", true, "storms fused in one kernel, the layer in registers", 2.3e12,
                  make_cuda_direct},
  };
  return entries;
}

}  // namespace bombard
