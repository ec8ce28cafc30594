#include "sim/engines/engines.hpp"

#include <array>

namespace bombard {

std::span<const EngineEntry> engines() {
  using enum Method;
  using enum Precision;
  // Measured (docs/performance.md, Choosing a device) on two cores with AVX-512 and on an H200.
  static constexpr std::array entries{
      EngineEntry{"reference",
                  false,
                  direct,
                  binary32,
                  "Eigen, one thread: written to be read",
                  {0, 2e8, 1e7, 1e9, 24},
                  make_reference},
      EngineEntry{"cpu_direct",
                  false,
                  direct,
                  binary32,
                  "OpenMP and vector instructions, storms fused tile by tile",
                  {0, 2e9, 1e9, 5e10, 4.1},
                  make_cpu_direct},
      EngineEntry{"cpu_fast",
                  false,
                  fast,
                  binary32,
                  "exponential sums, and the rule where the maximum can be",
                  {3e-4, 1e9, 1e7, 2.5e10, 8.6},
                  make_cpu_fast},
      EngineEntry{"cpu_double",
                  false,
                  fast,
                  binary64,
                  "exponential sums in binary64: the true sums, not the rule's",
                  {1e-3, 1e9, 3e8, 1e12, 8.6},
                  make_cpu_double},
      EngineEntry{"cuda_staged",
                  true,
                  direct,
                  binary32,
                  "separate kernels: initialise, update, copy, relax, max-location",
                  {0, 1e11, 1e9, 6e11},
                  make_cuda_staged},
      EngineEntry{"cuda_direct",
                  true,
                  direct,
                  binary32,
                  "storms fused in one kernel, the layer in registers",
                  {0, 2e11, 1e9, 2.3e12},
                  make_cuda_direct},
      EngineEntry{"cuda_fast",
                  true,
                  fast,
                  binary32,
                  "exponential sums, and the rule where the maximum can be",
                  {1.5e-3, 1.4e11, 1e8, 2.3e12},
                  make_cuda_fast},
      EngineEntry{"cuda_double",
                  true,
                  fast,
                  binary64,
                  "exponential sums in binary64: the true sums, not the rule's",
                  {1.5e-3, 1.3e11, 4e9, 2.3e12},
                  make_cuda_double},
  };
  return entries;
}

}  // namespace bombard
