#include "kernels/convolution/cpu/sweep_loops.hpp"

// The shares of one deposit in the cells of a patch.

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET::convolution {

void add_shares(const double* __restrict__ attenuation, std::int64_t at, std::int64_t begin,
                std::int64_t end, double amount, double* __restrict__ sums) {
  const std::int64_t middle = at < begin ? begin : smaller(at, end);
  for (std::int64_t k = begin; k < middle; ++k) sums[k] += amount * attenuation[at - k + 1];
  for (std::int64_t k = middle; k < end; ++k) sums[k] += amount * attenuation[k - at + 1];
}

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET::convolution
